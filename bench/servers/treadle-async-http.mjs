// Treadle over HTTP with an `async` handler and Zod: `node treadle-async-http.mjs PORT`.
import { Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import * as z from "zod"

const mcp = Mcp.make({ name: "bench", version: "1.0.0" }).tool(
  "add",
  {
    description: "Adds two numbers",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() })
  },
  async ({ a, b }) => ({ sum: a + b })
)

await McpNode.listen(mcp, { port: Number(process.argv[2]) })

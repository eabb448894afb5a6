// Treadle over stdio: serves the tool `add`.
import { Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const mcp = Mcp.make({ name: "bench", version: "1.0.0" }).tool(
  "add",
  {
    description: "Adds two numbers",
    input: { a: Schema.Number, b: Schema.Number },
    output: Schema.Struct({ sum: Schema.Number })
  },
  ({ a, b }) => Effect.succeed({ sum: a + b })
)

void McpNode.stdio(mcp)

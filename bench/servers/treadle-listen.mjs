// Treadle with lists that can be listened to: `node treadle-listen.mjs PORT`. All callers share one address here, so the
// limit of listen streams is raised.
import { Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"

const mcp = Mcp.make({ name: "bench", version: "1.0.0" }).tool("greet", { description: "Greets" }, async () => "Hello!")

await McpNode.listen(mcp, { port: Number(process.argv[2]), limits: { listeners: 2_000 } })

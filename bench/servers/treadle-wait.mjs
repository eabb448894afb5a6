// Treadle with a tool that waits for a minute: `node treadle-wait.mjs PORT`. All callers share one address here, so the
// limit of running calls is raised.
import { setTimeout as sleep } from "node:timers/promises"
import { Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"

const mcp = Mcp.make({ name: "bench", version: "1.0.0" }).tool("wait", { description: "Waits a minute" }, async () => {
  await sleep(60_000)
  return "done"
})

await McpNode.listen(mcp, { port: Number(process.argv[2]), limits: { runningCalls: 2_000 } })

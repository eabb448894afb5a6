/** A call that lasts, and does not hold a connection open for it; and the transport of the first clients. */
// #region pausing
import { Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import { setTimeout } from "node:timers/promises"

export const press = Mcp.make({ name: "press", version: "1.0.0" }).tool(
  "print_programmes",
  { description: "Prints the programmes of the evening" },
  async (_, { pause, progress, signal }) => {
    progress(0, 2, "Warming up")
    pause(1_000)
    await setTimeout(200, undefined, { signal })
    progress(1, 2, "Half of them")
    return "Printed 120 programmes"
  }
)

export const open = () => McpNode.handler(press)
// #endregion

// #region sse
/** For clients that know nothing newer than HTTP+SSE; mount it at /sse. */
export const openForOldClients = () => McpNode.sse(press)
// #endregion

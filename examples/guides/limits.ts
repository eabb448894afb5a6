/** A server with tighter limits, for pages of one application, and what it has under way. */
// #region limits
import { Mcp } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"

const clock = Mcp.make({ name: "clock", version: "1.0.0" }).tool(
  "now",
  { description: "The time", timeout: 1_000 },
  async () => "noon"
)

export const door = McpHttp.fetch(clock, {
  hosts: ["clock.example"],
  origins: ["https://app.example"],
  limits: { bodyBytes: 64 * 1024, sessions: 100, sessionIdle: 5 * 60_000 }
})

export const underWay = () => door.counters()
// => { calls: 0, listeners: 0, streams: 0, sessions: 0, tasks: 0, asks: 0, queued: 0, dropped: 0 }
// #endregion

/**
 * The names of MCP's HTTP headers, in lower case as Node and `fetch` give them. No other file writes one.
 */
export const HeaderName = {
  version: "mcp-protocol-version",
  method: "mcp-method",
  name: "mcp-name",
  session: "mcp-session-id",
  lastEventId: "last-event-id",
  /** What an `x-mcp-header` annotation is appended to. */
  param: "mcp-param-"
} as const

// The requests that the benchmark sends: native messages, and the HTTP bytes around them.
const version = "2026-07-28"

const meta = {
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" }
}

/** A native request. */
export const message = (id, method, params) => ({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } })

export const callAdd = (id) => message(id, "tools/call", { name: "add", arguments: { a: 2, b: 3 } })
export const callWait = (id) => message(id, "tools/call", { name: "wait", arguments: {} })
export const listTools = (id) => message(id, "tools/list", {})
export const listen = (id) => message(id, "subscriptions/listen", { notifications: { toolsListChanged: true } })

/** What an answer to `callAdd` has in it. */
export const addAnswered = '"structuredContent":{"sum":5}'

/** The bytes of a POST to /mcp. `native` is off for a peer that knows only older revisions. */
export const post = (body, port, native = true) => {
  const text = JSON.stringify(body)
  const { method, params } = body
  const head = [
    "POST /mcp HTTP/1.1",
    `host: 127.0.0.1:${port}`,
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    `mcp-protocol-version: ${native ? version : "2025-06-18"}`,
    `mcp-method: ${method}`,
    ...(params.name === undefined ? [] : [`mcp-name: ${params.name}`]),
    `content-length: ${Buffer.byteLength(text)}`
  ]
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${text}`)
}

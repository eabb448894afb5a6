// What the bare servers do with a message: parse it, add, print the answer that the others print.
const _meta = { "io.modelcontextprotocol/serverInfo": { name: "bench", version: "1.0.0" } }

/** What a client asks first. The process id stands where it can be read without another tool. */
const discovered = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  instructions: String(process.pid),
  ttlMs: 0,
  cacheScope: "public",
  _meta
}

export const answer = (text) => {
  const { id, method, params } = JSON.parse(text)
  if (method === "server/discover") return JSON.stringify({ jsonrpc: "2.0", id, result: discovered })
  const value = { sum: params.arguments.a + params.arguments.b }
  const content = [{ type: "text", text: JSON.stringify(value) }]
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    result: { resultType: "complete", content, structuredContent: value, _meta }
  })
}

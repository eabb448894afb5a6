// What the bare servers do with a message: parse it, add, print the answer that the others print.
const _meta = { "io.modelcontextprotocol/serverInfo": { name: "bench", version: "1.0.0" } }

export const answer = (text) => {
  const { id, params } = JSON.parse(text)
  const value = { sum: params.arguments.a + params.arguments.b }
  const content = [{ type: "text", text: JSON.stringify(value) }]
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    result: { resultType: "complete", content, structuredContent: value, _meta }
  })
}

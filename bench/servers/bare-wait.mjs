// No MCP, only an event stream that stays open for a minute: `node bare-wait.mjs PORT`.
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

createServer((req, res) => {
  const chunks = []
  req.on("data", (chunk) => chunks.push(chunk))
  req.on("end", async () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString())
    res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
    res.flushHeaders()
    await sleep(60_000)
    res.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n\n`)
  })
}).listen(Number(process.argv[2]), "127.0.0.1")

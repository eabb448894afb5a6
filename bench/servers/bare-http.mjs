// No MCP, only node:http and the same JSON in and out: `node bare-http.mjs PORT`.
import { createServer } from "node:http"
import { answer } from "./bare-answer.mjs"

createServer((req, res) => {
  const chunks = []
  req.on("data", (chunk) => chunks.push(chunk))
  req.on("end", () => {
    const text = answer(Buffer.concat(chunks).toString())
    res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    res.end(text)
  })
}).listen(Number(process.argv[2]), "127.0.0.1")

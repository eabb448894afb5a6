// As bare-http.mjs, but the answers of one turn of the event loop leave together: `node bare-batched-http.mjs PORT`.
import { createServer } from "node:http"
import { answer } from "./bare-answer.mjs"

let waiting = []
const flush = () => {
  const batch = waiting
  waiting = []
  for (const [res, text] of batch) {
    res.writeHead(200, ["content-type", "application/json", "content-length", String(Buffer.byteLength(text))])
    res.end(text)
  }
}

createServer((req, res) => {
  const chunks = []
  req.on("data", (chunk) => chunks.push(chunk))
  req.on("end", () => {
    const text = answer(Buffer.concat(chunks).toString())
    if (waiting.push([res, text]) === 1) setImmediate(flush)
  })
}).listen(Number(process.argv[2]), "127.0.0.1")

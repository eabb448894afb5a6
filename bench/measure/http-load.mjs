// A load generator on raw sockets, a process of its own: each connection sends a prepared request, reads its whole answer
// and sends the next. It parses no more of an answer than its status and its length, and checks a sample in full.
import net from "node:net"
import { cpuMicros, watchOthers } from "./processes.mjs"

const headEnd = Buffer.from("\r\n\r\n")
const lastChunk = Buffer.from("0\r\n\r\n")

/** How many bytes an answer has: a number, or `undefined` while that cannot be told. */
const answerLength = (bytes) => {
  const at = bytes.indexOf(headEnd)
  if (at < 0) return undefined
  const head = bytes.latin1Slice(0, at)
  if (!head.startsWith("HTTP/1.1 200")) throw new Error(`an answer was ${head.split("\r\n")[0]}`)
  const length = /content-length: (\d+)/i.exec(head)
  if (length !== null) return at + 4 + Number(length[1])
  return bytes.subarray(-lastChunk.length).equals(lastChunk) ? bytes.length : undefined
}

const checked = 256

/** One connection. `on.answered` is told how long each answer took, in milliseconds. */
const connect = ({ port, request, expect }, on) => {
  let pending
  let whole
  let sent = 0
  let answers = 0
  let stopping = false
  const socket = net.connect({ port, host: "127.0.0.1", noDelay: true })
  const send = () => {
    sent = performance.now()
    socket.write(request)
  }
  const answered = (bytes) => {
    if (answers++ % checked === 0 && !bytes.includes(expect)) throw new Error(`an answer has no ${expect}`)
    pending = whole = undefined
    on.answered(performance.now() - sent)
    if (stopping) socket.destroy()
    else send()
  }
  const read = (chunk) => {
    if (pending !== undefined) pending.push(chunk)
    const size = pending === undefined ? chunk.length : pending.reduce((sum, { length }) => sum + length, 0)
    if (whole !== undefined && size < whole) return
    const bytes = pending === undefined ? chunk : Buffer.concat(pending)
    whole = answerLength(bytes)
    if (whole !== undefined && bytes.length >= whole) answered(bytes)
    else pending ??= [chunk]
  }
  socket.on("data", (chunk) => {
    try {
      read(chunk)
    } catch (error) {
      on.failed(error)
    }
  })
  socket.on("connect", send)
  socket.on("error", on.failed)
  socket.on("close", () => {
    if (stopping) on.closed()
    else on.failed(new Error("a connection was closed"))
  })
  return {
    stop: () => {
      stopping = true
    },
    destroy: () => socket.destroy()
  }
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** Keeps every connection busy for so many milliseconds or so many answers. */
const run = ({ port, requests, expect, millis, answers = Number.POSITIVE_INFINITY }) =>
  new Promise((resolve, reject) => {
    const times = []
    let open = requests.length
    const stop = () => {
      clearTimeout(timer)
      for (const connection of connections) connection.stop()
    }
    const connections = requests.map((request) =>
      connect(
        { port, request: Buffer.from(request, "latin1"), expect },
        {
          answered: (took) => {
            if (times.push(took) >= answers) stop()
          },
          failed: (error) => {
            clearTimeout(timer)
            for (const connection of connections) connection.destroy()
            reject(error)
          },
          closed: () => {
            if (--open === 0) resolve(times)
          }
        }
      )
    )
    const timer = setTimeout(stop, millis)
  })

const load = async (question) => {
  const before = cpuMicros(question.pid)
  const own = process.cpuUsage()
  const others = watchOthers(question.pid)
  const began = performance.now()
  const times = await run(question)
  const took = performance.now() - began
  const { user, system } = process.cpuUsage(own)
  const after = cpuMicros(question.pid)
  const sorted = times.sort((a, b) => a - b)
  return {
    answers: sorted.length,
    rate: (sorted.length / took) * 1000,
    others: others(),
    micros: after === undefined ? undefined : (after - before) / sorted.length,
    loadMicros: (user + system) / sorted.length,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99)
  }
}

process.on("disconnect", () => process.exit())
process.on("message", (question) => {
  load(question).then(
    (answer) => process.send(answer),
    (error) => process.send({ error: `port ${question.port}: ${error.message}` })
  )
})

// What a pending call over SSE keeps in the server: 500 calls of a tool that waits.
import { once } from "node:events"
import net from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { ask, measureFile, serve, stop } from "../measure/processes.mjs"
import { alternate, median } from "../measure/ratios.mjs"
import { callWait, post } from "../measure/wire.mjs"

const contenders = {
  "bare node:http": "bare-wait",
  "official SDK v2": "sdk-wait",
  "effect/ai McpServer": "effect-wait",
  Treadle: "treadle-wait"
}
const warmUp = 50
const open = 500

/** Opens calls and waits until Treadle's have turned to events, which takes two seconds. */
const openCalls = async (port, count) => {
  let events = 0
  const sockets = Array.from({ length: count }, (_, n) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(post(callWait(n), port)))
    socket.once("data", (chunk) => {
      if (/^HTTP\/1\.1 200[^]*text\/event-stream/i.test(chunk.latin1Slice())) events++
      else socket.destroy(new Error(`a pending call was answered: ${chunk.latin1Slice(0, 80)}`))
    })
    return socket
  })
  await Promise.all(sockets.map((socket) => once(socket, "connect")))
  await sleep(3_000)
  return { sockets, events }
}

const closeCalls = async ({ sockets }) => {
  for (const socket of sockets) socket.destroy()
  await sleep(500)
}

/** KiB a call, with a fresh server. */
const keeps = async (name) => {
  const server = await serve(name, ["--expose-gc", "--import", measureFile("memory-probe")])
  try {
    await closeCalls(await openCalls(server.port, warmUp))
    const before = await ask(server.child, "memory", 5_000)
    const calls = await openCalls(server.port, open)
    const after = await ask(server.child, "memory", 5_000)
    if (calls.sockets.some(({ destroyed }) => destroyed)) throw new Error(`${name}: a pending call ended`)
    const each = (bytes) => bytes / open / 1024
    return {
      heap: each(after.heap - before.heap),
      rss: each(after.rss - before.rss),
      events: calls.events
    }
  } finally {
    await stop(server.child)
  }
}

export const memory = async ({ quick }) => {
  const names = Object.keys(contenders)
  const results = await alternate(names, quick ? 1 : 2, (name) => keeps(contenders[name]))
  const of = (name, key) => median(results[name].map((round) => round[key]))
  return {
    title: `memory that a pending call keeps, ${open} of them`,
    unit: "KiB a call",
    rows: names.map((name) => ({
      name,
      heap: of(name, "heap"),
      rss: of(name, "rss"),
      events: of(name, "events")
    })),
    ratios: [],
    counts: [
      { what: "KiB of heap that a pending call over SSE keeps in Treadle", value: of("Treadle", "heap"), atMost: 28 },
      { what: "KiB of resident memory that it adds", value: of("Treadle", "rss"), atMost: 28 }
    ]
  }
}

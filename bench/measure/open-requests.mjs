// What requests that stay open keep in a server: a fresh process is asked for its memory before and after they are opened.
import { once } from "node:events"
import net from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { ask, measureFile, serve, stop } from "./processes.mjs"
import { post } from "./wire.mjs"

const warmUp = 50

/** Opens requests and gives them three seconds: Treadle's calls turn to events after two. */
const openRequests = async (port, request, count) => {
  let events = 0
  let failure
  const sockets = Array.from({ length: count }, (_, n) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(post(request(n), port)))
    socket.once("data", (chunk) => {
      if (/^HTTP\/1\.1 200[^]*text\/event-stream/i.test(chunk.latin1Slice())) events++
      else socket.destroy(new Error(`an open request was answered: ${chunk.latin1Slice(0, 80)}`))
    })
    socket.once("error", (error) => (failure ??= error))
    return socket
  })
  await Promise.all(sockets.map((socket) => once(socket, "connect")))
  await sleep(3_000)
  return { sockets, events, failure }
}

const close = async ({ sockets }) => {
  for (const socket of sockets) socket.destroy()
  await sleep(500)
}

/**
 * KiB that each open request keeps.
 *
 * @param server the file of the server
 * @param request the message number `n`
 * @param open how many are open at a time
 */
export const keptByEach = async ({ server, request, open }) => {
  const { child, port } = await serve(server, ["--expose-gc", "--import", measureFile("memory-probe")])
  try {
    await close(await openRequests(port, request, warmUp))
    const before = await ask(child, "memory", 5_000)
    const requests = await openRequests(port, request, open)
    const after = await ask(child, "memory", 5_000)
    if (requests.sockets.some(({ destroyed }) => destroyed)) {
      throw new Error(`${server}: an open request ended`, { cause: requests.failure })
    }
    const each = (bytes) => bytes / open / 1024
    return { heap: each(after.heap - before.heap), rss: each(after.rss - before.rss), events: requests.events }
  } finally {
    await stop(child)
  }
}

/** The medians of a contender's rounds as a row of the report. */
export const keptRow = (name, rounds, median) => {
  const of = (key) => median(rounds.map((round) => round[key]))
  return { name, heap: of("heap"), rss: of("rss"), events: of("events") }
}

/**
 * Ports of scripted servers. Each is used once in a process, because clients remember by its address what a server
 * speaks, and keep connections to it.
 */
import type { AddressInfo, Server } from "node:net"

const used = new Set<number>()

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

/**
 * What servers of tests are made with: on a busy machine, Node's five seconds would be over just when a client sends again
 * on a connection, and its request be lost.
 */
export const patient = { keepAliveTimeout: 600_000 } as const

/** Listens on a loopback port that no other server had which was given one here. */
export const listenAnew = async (server: Server): Promise<number> => {
  const port = await listen(server)
  if (used.has(port)) {
    await new Promise((resolve) => server.close(resolve))
    return listenAnew(server)
  }
  used.add(port)
  return port
}

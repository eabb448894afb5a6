// Alternating rounds of load on several HTTP servers that all run at once; only one of them is busy at a time.
import { alternate, median } from "./ratios.mjs"
import { ask, loadCore, measureFile, serve, start, stop } from "./processes.mjs"
import { post } from "./wire.mjs"

/** Connections, each with one request at a time. */
export const connections = 16

/**
 * @param contenders `{ name: { server, native } }`
 * @param request the message of connection `n`
 * @param expect what an answer has in it
 * @param warm how many answers, or how many milliseconds at most, before the first round
 * @returns for each contender the figures of each round: `rate` in requests per second, `micros` of server processor time
 *   per request, `p50` and `p99` in milliseconds
 */
export const httpRounds = async ({ contenders, request, expect, rounds, millis, warm }) => {
  const names = Object.keys(contenders)
  const servers = {}
  const load = start(loadCore, [measureFile("http-load")])
  try {
    for (const name of names) servers[name] = await serve(contenders[name].server)
    const turn = (name, millis, answers) => {
      const { port, child } = servers[name]
      const native = contenders[name].native !== false
      const requests = Array.from({ length: connections }, (_, n) => post(request(n), port, native).toString("latin1"))
      return ask(load, { port, requests, expect, millis, answers, pid: child.pid }, millis + 10_000)
    }
    for (const name of names) await turn(name, warm.millis, warm.answers)
    return await alternate(names, rounds, (name) => turn(name, millis))
  } finally {
    await Promise.all([...Object.values(servers).map(({ child }) => stop(child)), stop(load)])
  }
}

/** One row of the report for each contender. */
export const httpRows = (contenders, results) =>
  Object.keys(contenders).map((name) => {
    const rounds = results[name]
    const micros = rounds[0].micros === undefined ? undefined : median(rounds.map((round) => round.micros))
    const of = (key) => median(rounds.map((round) => round[key]))
    return { name, rate: of("rate"), micros, p50: of("p50"), p99: of("p99"), loadMicros: of("loadMicros") }
  })

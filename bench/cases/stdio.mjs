// Calls a second over stdio, 64 of them open at a time.
import { ask, loadCore, measureFile, start } from "../measure/processes.mjs"
import { alternate, disturbance, median, ratio } from "../measure/ratios.mjs"

const contenders = {
  "bare line loop": "bare-stdio",
  "official SDK v2": "sdk-stdio",
  "effect/ai McpServer": "effect-stdio",
  Treadle: "treadle-stdio"
}

export const stdio = async ({ quick }) => {
  const names = Object.keys(contenders)
  const load = start(loadCore, [measureFile("stdio-load")])
  const turn = (name, millis, calls) => ask(load, { server: contenders[name], millis, calls }, millis + 10_000)
  const measured = async () => {
    for (const name of names) await turn(name, 5_000, 50_000)
    return alternate(names, quick ? 5 : 15, (name) => turn(name, 400))
  }
  const results = await measured().finally(() => {
    if (load.connected) load.send("end")
  })
  const rates = (name) => results[name].map(({ rate }) => rate)
  return {
    title: "tools/call over stdio, 64 open at a time",
    unit: "calls/s",
    others: disturbance(results),
    rows: names.map((name) => ({
      name,
      rate: median(rates(name)),
      micros: results[name][0].micros === undefined ? undefined : median(results[name].map(({ micros }) => micros))
    })),
    ratios: [
      { what: "Treadle / bare line loop", ...ratio(rates("Treadle"), rates("bare line loop")), atLeast: 0.6 },
      { what: "Treadle / official SDK v2", ...ratio(rates("Treadle"), rates("official SDK v2")), atLeast: 5 },
      { what: "Treadle / effect/ai McpServer", ...ratio(rates("Treadle"), rates("effect/ai McpServer")) }
    ]
  }
}

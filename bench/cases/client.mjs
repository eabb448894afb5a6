// Calls a second of clients, 16 of them open at a time, against one bare server.
import { once } from "node:events"
import { ask, loadCore, measureFile, serve, start, stop } from "../measure/processes.mjs"
import { alternate, disturbance, median, ratio } from "../measure/ratios.mjs"

const contenders = {
  "official SDK v2, HTTP": "sdk-http",
  "Treadle, HTTP": "treadle-http",
  "Treadle, HTTP by fetch": "treadle-fetch",
  "fetch alone, HTTP": "fetch-http",
  "official SDK v2, stdio": "sdk-stdio",
  "Treadle, stdio": "treadle-stdio"
}

export const client = async ({ quick }) => {
  const names = Object.keys(contenders)
  const { child, port } = await serve("bare-http")
  const load = start(loadCore, [measureFile("client-load")])
  const at = { url: `http://127.0.0.1:${port}/mcp`, pid: child.pid }
  const turn = (name, millis, answers) =>
    ask(load, { ...at, client: contenders[name], millis, answers }, millis + 10_000)
  const measured = async () => {
    for (const name of names) await turn(name, 5_000, 20_000)
    return alternate(names, quick ? 5 : 15, (name) => turn(name, 400))
  }
  const leave = async () => {
    const gone = once(load, "exit")
    if (load.connected) load.send("end")
    await Promise.race([gone, new Promise((resolve) => void setTimeout(resolve, 5_000))])
    await Promise.all([stop(load), stop(child)])
  }
  const results = await measured().finally(leave)
  const of = (name, key) => results[name].map((round) => round[key])
  return {
    title: "tools/call by clients, 16 open at a time, one bare server",
    unit: "calls/s",
    others: disturbance(results),
    rows: names.map((name) => ({ name, rate: median(of(name, "rate")), loadMicros: median(of(name, "loadMicros")) })),
    ratios: ["HTTP", "stdio"].map((door) => ({
      what: `Treadle / official SDK v2, ${door}`,
      ...ratio(of(`Treadle, ${door}`, "rate"), of(`official SDK v2, ${door}`, "rate")),
      atLeast: 2
    }))
  }
}

// `tools/list` over HTTP with 200 tools.
import { httpRounds, httpRows } from "../measure/http-rounds.mjs"
import { disturbance, ratio } from "../measure/ratios.mjs"
import { listTools } from "../measure/wire.mjs"

const contenders = {
  "official SDK v2": { server: "sdk-list" },
  "effect/ai McpServer": { server: "effect-list" },
  Treadle: { server: "treadle-list" }
}

export const list = async ({ quick }) => {
  const results = await httpRounds({
    contenders,
    request: listTools,
    expect: '"name":"find_199"',
    rounds: quick ? 3 : 7,
    millis: 1_000,
    warm: { answers: 10_000, millis: quick ? 2_000 : 4_000 }
  })
  const rates = (name) => results[name].map(({ rate }) => rate)
  return {
    title: "tools/list over HTTP, 200 tools, 16 connections",
    unit: "requests/s",
    others: disturbance(results),
    rows: httpRows(contenders, results),
    ratios: [
      { what: "Treadle / official SDK v2", ...ratio(rates("Treadle"), rates("official SDK v2")), atLeast: 50 },
      { what: "Treadle / effect/ai McpServer", ...ratio(rates("Treadle"), rates("effect/ai McpServer")) }
    ]
  }
}

// `tools/call` over HTTP: a tool that adds two numbers, 16 connections.
import { httpRounds, httpRows } from "../measure/http-rounds.mjs"
import { disturbance, ratio } from "../measure/ratios.mjs"
import { addAnswered, callAdd } from "../measure/wire.mjs"

const contenders = {
  "bare node:http": { server: "bare-http" },
  "bare node:http, batched": { server: "bare-batched-http" },
  "official SDK v2": { server: "sdk-http" },
  "effect/ai McpServer": { server: "effect-http" },
  "mcp-lite (2025-06-18)": { server: "lite-http", native: false },
  Treadle: { server: "treadle-http" },
  "Treadle, async and Zod": { server: "treadle-async-http" },
  "bare route of HttpRouter": { server: "bare-router-http" },
  "Treadle, route of HttpRouter": { server: "treadle-router-http" }
}

export const http = async ({ quick }) => {
  const results = await httpRounds({
    contenders,
    request: callAdd,
    expect: addAnswered,
    rounds: quick ? 5 : 15,
    millis: 400,
    warm: { answers: 30_000, millis: quick ? 3_000 : 5_000 }
  })
  const rates = (name) => results[name].map(({ rate }) => rate)
  const micros = (name) => results[name].map((round) => round.micros)
  const ours = rates("Treadle")
  const processor = (name) =>
    micros(name)[0] === undefined
      ? []
      : [{ what: `processor time of ${name} / Treadle`, ...ratio(micros(name), micros("Treadle")) }]
  return {
    title: "tools/call over HTTP, 16 connections",
    unit: "requests/s",
    others: disturbance(results),
    rows: httpRows(contenders, results),
    ratios: [
      { what: "Treadle / bare node:http", ...ratio(ours, rates("bare node:http")), atLeast: 0.95 },
      { what: "Treadle / official SDK v2", ...ratio(ours, rates("official SDK v2")), atLeast: 14 },
      { what: "Treadle / bare node:http, batched", ...ratio(ours, rates("bare node:http, batched")) },
      { what: "Treadle / effect/ai McpServer", ...ratio(ours, rates("effect/ai McpServer")) },
      { what: "Treadle / mcp-lite", ...ratio(ours, rates("mcp-lite (2025-06-18)")) },
      {
        what: "Treadle, async and Zod / bare node:http",
        ...ratio(rates("Treadle, async and Zod"), rates("bare node:http"))
      },
      {
        what: "Treadle, route of HttpRouter / bare route of HttpRouter",
        ...ratio(rates("Treadle, route of HttpRouter"), rates("bare route of HttpRouter"))
      },
      {
        what: "Treadle, route of HttpRouter / effect/ai McpServer",
        ...ratio(rates("Treadle, route of HttpRouter"), rates("effect/ai McpServer"))
      },
      ...processor("bare node:http"),
      ...processor("bare node:http, batched"),
      ...processor("official SDK v2")
    ]
  }
}

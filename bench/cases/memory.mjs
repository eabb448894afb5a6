// What a pending call over SSE keeps in the server: 500 calls of a tool that waits.
import { keptByEach, keptRow } from "../measure/open-requests.mjs"
import { alternate, median } from "../measure/ratios.mjs"
import { callWait } from "../measure/wire.mjs"

const contenders = {
  "bare node:http": "bare-wait",
  "official SDK v2": "sdk-wait",
  "effect/ai McpServer": "effect-wait",
  Treadle: "treadle-wait"
}
const open = 500

export const memory = async ({ quick }) => {
  const names = Object.keys(contenders)
  const results = await alternate(names, quick ? 1 : 2, (name) =>
    keptByEach({ server: contenders[name], request: callWait, open })
  )
  const rows = names.map((name) => keptRow(name, results[name], median))
  const ours = rows.find(({ name }) => name === "Treadle")
  return {
    title: `memory that a pending call keeps, ${open} of them`,
    unit: "KiB a call",
    rows,
    ratios: [],
    counts: [
      { what: "KiB of heap that a pending call over SSE keeps in Treadle", value: ours.heap, atMost: 28 },
      { what: "KiB of resident memory that it adds", value: ours.rss, atMost: 28 }
    ]
  }
}

// What an open listen stream keeps in the server: 1,000 native `subscriptions/listen` requests.
import { keptByEach, keptRow } from "../measure/open-requests.mjs"
import { alternate, median } from "../measure/ratios.mjs"
import { listen } from "../measure/wire.mjs"

const contenders = { "bare node:http": "bare-wait", Treadle: "treadle-listen" }
const open = 1_000

export const streams = async ({ quick }) => {
  const names = Object.keys(contenders)
  const results = await alternate(names, quick ? 1 : 2, (name) =>
    keptByEach({ server: contenders[name], request: listen, open })
  )
  const rows = names.map((name) => keptRow(name, results[name], median))
  const ours = rows.find(({ name }) => name === "Treadle")
  if (ours.events !== open) throw new Error(`${ours.events} of ${open} listen requests were answered with events`)
  return {
    title: `memory that an open listen stream keeps, ${open.toLocaleString("en")} of them`,
    unit: "KiB a stream",
    rows,
    ratios: [],
    counts: [
      { what: "KiB of heap that an open listen stream keeps in Treadle", value: ours.heap, atMost: 28 },
      { what: "KiB of resident memory that it adds", value: ours.rss, atMost: 28 }
    ]
  }
}

// Runs the cases one after another, prints one table and writes results.json.
import { writeFileSync } from "node:fs"
import path from "node:path"
import { agents } from "./cases/agents.mjs"
import { client } from "./cases/client.mjs"
import { heap } from "./cases/heap.mjs"
import { http } from "./cases/http.mjs"
import { list } from "./cases/list.mjs"
import { memory } from "./cases/memory.mjs"
import { startUp } from "./cases/start.mjs"
import { stdio } from "./cases/stdio.mjs"
import { streams } from "./cases/streams.mjs"
import { machine } from "./measure/machine.mjs"
import { print } from "./measure/report.mjs"

const cases = { http, list, stdio, start: startUp, memory, streams, heap, client, agents }

/** @param only names of cases; all without it @param quick fewer and shorter rounds */
export const bench = async ({ only = Object.keys(cases), quick = false } = {}) => {
  const unknown = only.filter((name) => !(name in cases))
  if (unknown.length > 0) {
    throw new Error(`There is no case ${unknown.join(", ")}. Take some of ${Object.keys(cases).join(", ")}.`)
  }
  const began = performance.now()
  const results = { ...machine(), quick, cases: {} }
  for (const name of only) {
    console.error(`measuring ${name}`)
    results.cases[name] = await cases[name]({ quick })
  }
  results.seconds = Math.round((performance.now() - began) / 1000)
  writeFileSync(path.join(import.meta.dirname, "results.json"), `${JSON.stringify(results, null, 2)}\n`)
  print(results)
}

// Whether requests leave anything behind: the heap after 10,000 of them and after 100,000.
import { connections } from "../measure/http-rounds.mjs"
import { ask, loadCore, measureFile, serve, start, stop } from "../measure/processes.mjs"
import { addAnswered, callAdd, post } from "../measure/wire.mjs"

const contenders = { "bare node:http": "bare-http", Treadle: "treadle-http" }
const early = 10_000
const late = 100_000
const patience = 180_000
const mebi = 1024 * 1024

/** MiB of heap at both times. */
const left = async (server) => {
  const { child, port } = await serve(server, ["--expose-gc", "--import", measureFile("memory-probe")])
  const load = start(loadCore, [measureFile("http-load")])
  const requests = Array.from({ length: connections }, (_, n) => post(callAdd(n), port).toString("latin1"))
  const heapAfter = async (answers) => {
    const turn = { port, requests, expect: addAnswered, millis: patience, answers, pid: child.pid }
    const done = await ask(load, turn, patience + 10_000)
    if (done.answers < answers) throw new Error(`${server} gave ${done.answers} answers in ${patience} ms`)
    return (await ask(child, "memory", 5_000)).heap / mebi
  }
  try {
    return { early: await heapAfter(early), late: await heapAfter(late - early) }
  } finally {
    await Promise.all([stop(child), stop(load)])
  }
}

export const heap = async () => {
  const rows = []
  for (const [name, server] of Object.entries(contenders)) rows.push({ name, ...(await left(server)) })
  const ours = rows.find(({ name }) => name === "Treadle")
  return {
    title: `heap after ${late.toLocaleString("en")} requests`,
    rows,
    ratios: [],
    counts: [
      {
        what: `MiB that the heap grew after request ${early.toLocaleString("en")} in Treadle`,
        value: ours.late - ours.early,
        atMost: 2
      }
    ]
  }
}

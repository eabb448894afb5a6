// Agents with a model that answers at once: idle conversations, one run beside the same loop by hand, and many at once.
import { spawnSync } from "node:child_process"
import { measureFile } from "../measure/processes.mjs"
import { median, ratio } from "../measure/ratios.mjs"

const measured = (what, quick) => {
  const args = ["--expose-gc", measureFile("agent-load"), what, quick ? "quick" : "whole"]
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 180_000 })
  if (status !== 0) throw new Error(`agent-load ${what} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout)
}

export const agents = async ({ quick }) => {
  const idle = measured("idle", quick)
  const { rounds } = measured("spawn", quick)
  const { sizes } = measured("many", quick)
  const of = (name) => rounds.map((round) => round[name])
  return {
    title: `agents: ${idle.count.toLocaleString("en")} idle conversations, runs of two steps, thousands of ten steps`,
    rows: [
      { name: "the loop by hand", micros: median(of("hand")) },
      { name: "Treadle, servers connected", micros: median(of("run")) },
      { name: "Treadle, with connecting", micros: median(of("whole")) },
      { name: "an idle conversation", heap: idle.heapKiB, rss: idle.rssKiB }
    ],
    ratios: [{ what: "a run / the same loop by hand", ...ratio(of("run"), of("hand")), atMost: 3 }],
    counts: [
      { what: "KiB of heap that an idle conversation keeps", value: idle.heapKiB, atMost: 8 },
      {
        what: "MiB that the heap grew from the second thousand of runs to the fifth",
        value: sizes[4] - sizes[1],
        atMost: 2
      }
    ]
  }
}

// The table that is printed in the end: the figures of each case, then its ratios and counts beside their targets.
const digits = (value) => (value >= 100 ? 0 : value >= 10 ? 1 : 2)
const number = (value) =>
  value === undefined || value === null ? "" : value.toLocaleString("en", { maximumFractionDigits: digits(value) })

const columns = {
  rate: (unit) => unit,
  micros: () => "server CPU µs",
  loadMicros: () => "load CPU µs",
  p50: () => "p50 ms",
  p99: () => "p99 ms",
  millis: () => "ms",
  heap: () => "heap KiB",
  rss: () => "resident KiB",
  events: () => "opened as events",
  early: () => "MiB after 10,000",
  late: () => "MiB after 100,000"
}

const pad = (cells, widths) =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join("  ")

const table = (lines) => {
  const widths = lines[0].map((_, at) => Math.max(...lines.map((line) => line[at].length)))
  return lines.map((line) => `  ${pad(line, widths).trimEnd()}`)
}

/** Whether a figure meets its target; `undefined` where it has none. */
export const passes = ({ median, value = median, atLeast, atMost }) =>
  atLeast !== undefined ? value >= atLeast : atMost !== undefined ? value <= atMost : undefined

const target = ({ atLeast, atMost }) =>
  atLeast !== undefined ? `>= ${atLeast}` : atMost !== undefined ? `<= ${atMost}` : ""

const verdict = (figure) => ({ true: "pass", false: "MISS", undefined: "" })[String(passes(figure))]

const figures = ({ rows, unit }) => {
  const keys = Object.keys(columns).filter((key) => rows.some((row) => row[key] !== undefined))
  const head = ["", ...keys.map((key) => columns[key](unit))]
  return table([head, ...rows.map((row) => [row.name, ...keys.map((key) => number(row[key]))])])
}

const comparisons = ({ ratios, counts = [] }) => {
  const lines = [
    ...ratios.map((one) => [
      one.what,
      number(one.median),
      `${number(one.least)} to ${number(one.greatest)}`,
      target(one),
      verdict(one)
    ]),
    ...counts.map((one) => [one.what, number(one.value), "", target(one), verdict(one)])
  ]
  return lines.length === 0 ? [] : table([["", "median", "rounds", "target", ""], ...lines])
}

/** From this share on, the figures say more about the machine than about the servers. */
const tooBusy = 0.1

const busy = (share) =>
  share > tooBusy ? ` (others used ${Math.round(share * 100)}% of the machine: measure again when it is quiet)` : ""

export const print = (results) => {
  const { date, node, platform, cores, processor, pinned, versions, seconds } = results
  console.log(
    `\n${date}, Node ${node}, ${platform}, ${cores} cores (${processor}), pinned to cores: ${pinned ? "yes" : "no"}`
  )
  console.log(
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")
  )
  for (const one of Object.values(results.cases)) {
    console.log(`\n${one.title}${busy(one.others)}`)
    for (const line of [...figures(one), "", ...comparisons(one)]) console.log(line)
  }
  console.log(`\n${seconds} s in all`)
}

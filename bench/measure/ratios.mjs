// Medians of rounds, and ratios with their spread: a ratio is taken within each round, because a machine that others use
// changes its speed from one round to the next.
export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The median of the ratios of each round, the least and the greatest. */
export const ratio = (over, under) => {
  const ratios = over.map((value, round) => value / under[round])
  return { median: median(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) }
}

/** Up to this share of the machine others may use while something is measured. */
const quiet = 0.1
/** How long a case may go on repeating what others disturbed, in milliseconds, and how often one measurement. */
const patience = 20_000
const repeats = 5

/** Measures until nobody disturbs, within limits, and takes the least disturbed result, whatever it says. */
const undisturbed = async (measure, deadline) => {
  let best = await measure()
  for (let n = 0; n < repeats && best.others > quiet && performance.now() < deadline; n++) {
    const again = await measure()
    if (again.others < best.others) best = again
  }
  return best
}

/**
 * Runs rounds of the same measurements, each round beginning with another of them.
 *
 * @param measure takes a name; its result says under `others` which share of the machine other processes used
 */
export const alternate = async (names, rounds, measure) => {
  const deadline = performance.now() + patience * (rounds > 5 ? 1 : 0.25)
  const results = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let n = 0; n < names.length; n++) {
      const name = names[(n + round) % names.length]
      results[name].push(await undisturbed(() => measure(name), deadline))
    }
  }
  return results
}

/** The share that others used, in the median of all measurements. */
export const disturbance = (results) => {
  const shares = Object.values(results).flatMap((rounds) => rounds.map(({ others }) => others))
  return shares.includes(undefined) ? undefined : median(shares)
}

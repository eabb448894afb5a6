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

/** Runs `rounds` rounds of the same measurements, each round beginning with another of them. */
export const alternate = async (names, rounds, measure) => {
  const results = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let n = 0; n < names.length; n++) {
      const name = names[(n + round) % names.length]
      results[name].push(await measure(name))
    }
  }
  return results
}

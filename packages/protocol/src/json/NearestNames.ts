/**
 * The names that somebody who wrote another one may have meant. Pure, and bounded in what it looks at.
 */

/** How many letters of a name are compared; none that can be served is longer. */
const compared = 128

/**
 * How many letters have to be changed, added or left out to make one text of another.
 *
 * @param most beyond it nobody cares, and the answer is one more
 */
const distance = (from: string, to: string, most: number): number => {
  if (Math.abs(from.length - to.length) > most) return most + 1
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const line = [row]
    let least = row
    for (let column = 1; column <= to.length; column++) {
      const changed = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const cost = Math.min(changed, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1)
      line.push(cost)
      least = Math.min(least, cost)
    }
    if (least > most) return most + 1
    above = line
  }
  return above[to.length] ?? 0
}

/**
 * The nearest of some names, nearest first; of those that are as near, the one that comes first. Letters count without
 * their case, and a name of which more than a quarter has to be changed is not near, two letters are always tolerated.
 *
 * @param most how many are given at the most
 */
export const nearestNames = (meant: string, names: ReadonlyArray<string>, most = 3): ReadonlyArray<string> => {
  const text = meant.slice(0, compared).toLowerCase()
  const tolerated = Math.max(2, Math.floor(text.length / 4))
  return names
    .map((name) => ({ name, far: distance(text, name.toLowerCase(), tolerated) }))
    .filter(({ far }) => far <= tolerated)
    .toSorted((one, other) => one.far - other.far)
    .slice(0, most)
    .map(({ name }) => name)
}

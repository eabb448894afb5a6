/**
 * Finding operations by a few words. Pure: the same query over the same operations gives the same list in the same order.
 *
 * The operation whose name is the query comes first, then those whose names begin with it, then the others by the words
 * that they share with it: a word of the name weighs more than one of the title, and that more than one of the
 * description; a whole word more than the beginning of one, and that more than what is within one. Where two weigh the
 * same, the one that was defined first comes first. What shares no word is not found.
 */
import type { AnyEndpoint } from "@treadle/protocol/endpoint"

/** The parts of what is said of an operation, each with its weight. */
const weights = [4, 2, 1] as const

/** How much of a query is read: letters, and different words. */
const queryLetters = 256
const queryWords = 16

/** What is found in the name itself weighs more than all words together: at most 16 words of weight 12. */
const wholeName = 1_000
const beginningOfName = 500

/** A word without the s of its plural. */
const singular = (word: string): string =>
  word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word

/**
 * The words of a text, in lower case; `getShow`, `get_show` and `get show` have the same. The classes of Unicode stand in
 * here, and are read when something is searched: a server that has no catalog should not pay for them at start-up.
 */
export const wordsOf = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .normalize("NFKC")
      .replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ")
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .filter((word) => word !== "")
      .map(singular)
  )
]

/** An operation as it is searched. */
export interface Searchable {
  readonly name: string
  /** The words of its name, its title and its description. */
  readonly parts: readonly [ReadonlyArray<string>, ReadonlyArray<string>, ReadonlyArray<string>]
}

export const searchable = ({ about, name }: AnyEndpoint): Searchable => ({
  name: name.toLowerCase(),
  parts: [wordsOf(name), wordsOf(about.title ?? ""), wordsOf(about.description)]
})

/** 3 for a whole word, 2 for the beginning of one, 1 for what is within one. */
const match = (words: ReadonlyArray<string>, asked: string): number => {
  let best = 0
  for (const word of words) {
    if (word === asked) return 3
    if (best < 2 && word.startsWith(asked)) best = 2
    else if (best < 1 && word.includes(asked)) best = 1
  }
  return best
}

const weigh = ({ name, parts }: Searchable, whole: string, words: ReadonlyArray<string>): number => {
  let weight = name === whole ? wholeName : name.startsWith(whole) ? beginningOfName : 0
  for (const asked of words) {
    weight += Math.max(...weights.map((by, part) => by * match(parts[part] ?? [], asked)))
  }
  return weight
}

/**
 * The operations that a query finds, the best first. A query of nothing but spaces finds all of them, in their order.
 */
export const search = <S extends Searchable>(operations: ReadonlyArray<S>, query: string): ReadonlyArray<S> => {
  const read = query.slice(0, queryLetters)
  const whole = read.trim().toLowerCase()
  if (whole === "") return operations
  const words = wordsOf(read).slice(0, queryWords)
  return operations
    .map((operation) => ({ operation, weight: weigh(operation, whole, words) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ operation }) => operation)
}

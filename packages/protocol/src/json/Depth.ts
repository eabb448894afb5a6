/**
 * Values from outside that nest deeper than the stack allows: JSON text has no limit, and whoever walks it recursively
 * has one.
 */
import type { Misfit } from "./Wire.ts"

/** A value that nests no deeper than this is not what an overflow comes from. */
const harmless = 200

/** Engines do not agree on the class; there is nothing else to tell it by. */
const isOverflow = (thrown: unknown): boolean =>
  thrown instanceof Error && /call stack|too much recursion/i.test(thrown.message)

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

/** What almost every value fits into; so deep it is walked by recursion, which costs little beside the parsing. */
const usual = 32

/** By recursion, for few levels. */
const nestsDeeperThanFew = (value: unknown, levels: number): boolean => {
  if (!isObject(value)) return false
  if (levels === 0) return Object.keys(value).length > 0
  if (Array.isArray(value)) {
    for (const member of value) if (isObject(member) && nestsDeeperThanFew(member, levels - 1)) return true
    return false
  }
  for (const key in value) {
    const member = value[key]
    if (isObject(member) && nestsDeeperThanFew(member, levels - 1)) return true
  }
  return false
}

const members = (value: unknown): ReadonlyArray<unknown> => (isObject(value) ? Object.values(value) : [])

/** Level by level, which does not overflow however many there are. */
const nestsDeeperThanMany = (value: unknown, levels: number): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; depth <= levels && level.length > 0; depth++) level = level.flatMap(members)
  return level.length > 0
}

/** Whether a value that came out of `JSON.parse` nests deeper than this many levels of objects and lists. */
export const nestsDeeper = (value: unknown, levels: number): boolean =>
  nestsDeeperThanFew(value, Math.min(levels, usual)) && (levels <= usual || nestsDeeperThanMany(value, levels))

/**
 * What is wrong with a value that could not be read to its bottom. It is looked at once the reading has failed, so what
 * fits costs nothing.
 *
 * @param thrown what the walk died of
 * @returns the problem, or `undefined` where it died of something else
 */
export const tooDeep = (thrown: unknown, value: unknown): Misfit | undefined =>
  isOverflow(thrown) && nestsDeeper(value, harmless)
    ? { problems: ["the value nests too deeply to be read"] }
    : undefined

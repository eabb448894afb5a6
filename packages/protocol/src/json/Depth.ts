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

const members = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null ? Object.values(value) : []

/** Whether a value nests deeper than this many levels. It walks level by level, so that it does not overflow itself. */
export const nestsDeeper = (value: unknown, levels: number): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; depth <= levels && level.length > 0; depth++) level = level.flatMap(members)
  return level.length > 0
}

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

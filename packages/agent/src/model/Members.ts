/** Members of JSON that a model's service sent: what is not of the kind that is asked for is not there. */
import { own } from "@treadle/protocol/json"

export const textAt = (value: unknown, key: string): string | undefined => {
  const found = own(value, key)
  return typeof found === "string" ? found : undefined
}

/** A count, such as of tokens: a whole number from 0. */
export const countAt = (value: unknown, key: string): number | undefined => {
  const found = own(value, key)
  return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : undefined
}

export const listAt = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const found = own(value, key)
  return Array.isArray(found) ? found : []
}

/** The sum of those counts that are there; `undefined` where none is. */
export const sum = (...counts: ReadonlyArray<number | undefined>): number | undefined =>
  counts.reduce((total, count) => (count === undefined ? total : (total ?? 0) + count), undefined)

/** What is left of a total without a part; the total where the part is not told. */
export const difference = (total: number | undefined, part: number | undefined): number | undefined =>
  total === undefined || part === undefined ? total : Math.max(0, total - part)

/** JSON as text; what nests deeper than the stack allows is left out. */
export const printJson = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? "null"
  } catch {
    return "null"
  }
}

/**
 * Two JSON Schemas that both apply to a value, as one: what stands beside an `allOf`, an `anyOf` or a `$ref` is said of
 * the same value as what stands in it.
 */
import { isJsonObject, type Json, type JsonObject } from "@treadle/protocol/json"

/** Keywords that check nothing. Those of the first schema win. */
const descriptive = new Set([
  "title",
  "description",
  "default",
  "examples",
  "format",
  "deprecated",
  "readOnly",
  "writeOnly",
  "contentEncoding",
  "contentMediaType",
  "$comment",
  "$id",
  "$schema",
  "$anchor",
  "$defs",
  "definitions"
])

export const isDescriptive = (key: string): boolean => descriptive.has(key) || key.startsWith("x-")

const lowerBounds = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"])
const upperBounds = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"])

const list = (value: Json): ReadonlyArray<Json> => (Array.isArray(value) ? value : [value])

const both = (left: Json, right: Json): Json =>
  isJsonObject(left) && isJsonObject(right) ? { allOf: [left, right] } : left

const mergeMembers = (left: JsonObject, right: JsonObject): JsonObject => {
  const merged = new Map(Object.entries(left))
  for (const [key, value] of Object.entries(right)) {
    const there = merged.get(key)
    merged.set(key, there === undefined ? value : both(there, value))
  }
  return Object.fromEntries(merged)
}

/** The types that two schemas have in common; every integer is a number. */
const commonTypes = (left: Json, right: Json): Json | undefined => {
  const has = (types: ReadonlyArray<Json>, type: Json) =>
    types.includes(type) || (type === "integer" && types.includes("number"))
  const [ours, theirs] = [list(left), list(right)]
  const common = [
    ...ours.filter((type) => has(theirs, type)),
    ...theirs.filter((type) => !ours.includes(type) && has(ours, type))
  ]
  return common.length === 0 ? undefined : common.length === 1 ? common[0] : common
}

/** Both sayings of one keyword as one, or `undefined` where no keyword says it. */
const mergeKeyword = (key: string, left: Json, right: Json): Json | undefined => {
  if (left === right) return left
  if (key === "type") return commonTypes(left, right)
  if (key === "required") return [...new Set([...list(left), ...list(right)])]
  if (key === "properties" && isJsonObject(left) && isJsonObject(right)) return mergeMembers(left, right)
  if (key === "allOf") return [...list(left), ...list(right)]
  if (key === "enum") return list(left).filter((one) => list(right).includes(one))
  if (typeof left !== "number" || typeof right !== "number") return undefined
  return lowerBounds.has(key) ? Math.max(left, right) : upperBounds.has(key) ? Math.min(left, right) : undefined
}

/**
 * One schema for two.
 *
 * @param lose told of each keyword that both have and that cannot be said once; the first one stays
 */
export const mergeSchemas = (left: JsonObject, right: JsonObject, lose: (key: string) => void): JsonObject => {
  const merged = new Map(Object.entries(left))
  for (const [key, value] of Object.entries(right)) {
    const there = merged.get(key)
    if (there === undefined) merged.set(key, value)
    else if (!isDescriptive(key)) {
      const one = mergeKeyword(key, there, value)
      if (one === undefined) lose(key)
      else merged.set(key, one)
    }
  }
  return Object.fromEntries(merged)
}

/**
 * The arguments of a call as models write them: a JSON object, or the text of one. Pure.
 */
import { isJsonObject, type Json, type JsonObject } from "@treadle/protocol/json"

/** The arguments, or what the model is told of them. */
export type CallArguments = { readonly args: JsonObject } | { readonly problem: string }

export const isArguments = (read: CallArguments): read is Extract<CallArguments, { readonly args: JsonObject }> =>
  "args" in read

const noObject = "The arguments of this call are no JSON object. Call it again with one."
const noJson = "The arguments of this call are no valid JSON. Call it again with a JSON object."

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** What a schema takes as a whole, where that is an object or a list and nothing else. */
const wanted = (schema: Json | undefined): "object" | "array" | undefined => {
  const type = isJsonObject(schema) ? schema["type"] : undefined
  return type === "object" || type === "array" ? type : undefined
}

const kindOf = (value: Json | undefined) =>
  Array.isArray(value) ? "array" : isJsonObject(value) ? "object" : undefined

/** A member that is the text of what its schema wants becomes that; text where text is wanted stays text. */
const repaired = (args: JsonObject, properties: JsonObject): JsonObject => {
  const changed = Object.entries(args).flatMap(([name, value]): ReadonlyArray<readonly [string, Json]> => {
    const kind = typeof value === "string" && Object.hasOwn(properties, name) ? wanted(properties[name]) : undefined
    if (kind === undefined || typeof value !== "string") return []
    const inside = parsed(value)
    return inside !== undefined && kindOf(inside) === kind ? [[name, inside]] : []
  })
  return changed.length === 0 ? args : { ...args, ...Object.fromEntries(changed) }
}

/** Adapters hand on what they could not parse as the one member `_raw`. */
const isUnparsed = (args: JsonObject, properties: JsonObject): boolean =>
  Object.keys(args).length === 1 && typeof args["_raw"] === "string" && !Object.hasOwn(properties, "_raw")

/**
 * Reads arguments.
 *
 * @param params what the model wrote; nothing and an empty text are no arguments
 * @param properties the `properties` of the tool's schema
 */
export const argumentsOf = (params: unknown, properties: JsonObject): CallArguments => {
  if (params === undefined || params === null) return { args: {} }
  if (typeof params === "string") {
    if (params.trim() === "") return { args: {} }
    const inside = parsed(params)
    if (inside === undefined) return { problem: noJson }
    return isJsonObject(inside) ? { args: repaired(inside, properties) } : { problem: noObject }
  }
  if (!isJsonObject(params)) return { problem: noObject }
  return isUnparsed(params, properties) ? { problem: noJson } : { args: repaired(params, properties) }
}

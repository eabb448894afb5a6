/**
 * The arguments of a call as models write them: a JSON object, or the text of one. Pure.
 */
import { isJsonObject, parseJson, type Json, type JsonObject } from "@treadle/protocol/json"

/** The arguments, or what the model is told of them. */
export type CallArguments = { readonly args: JsonObject } | { readonly problem: string }

export const isArguments = (read: CallArguments): read is Extract<CallArguments, { readonly args: JsonObject }> =>
  "args" in read

const noObject = "The arguments of this call are no JSON object. Call it again with one."
const noJson = "The arguments of this call are no valid JSON. Call it again with a JSON object."

/** How many references and alternatives are followed into each other. */
const deepest = 8

/** What a reference within a schema leads to. */
const referred = (root: JsonObject, reference: string): Json | undefined =>
  reference
    .slice("#/".length)
    .split("/")
    .reduce<Json | undefined>(
      (node, name) => (isJsonObject(node) && Object.hasOwn(node, name) ? node[name] : undefined),
      root
    )

/** The types that a schema takes; nothing where it does not say. */
const typesOf = (schema: Json | undefined, root: JsonObject, depth = 0): ReadonlySet<Json> | undefined => {
  if (!isJsonObject(schema) || depth > deepest) return undefined
  const { $ref, anyOf, oneOf, type } = schema
  if (typeof $ref === "string" && $ref.startsWith("#/")) return typesOf(referred(root, $ref), root, depth + 1)
  if (type !== undefined) return new Set(Array.isArray(type) ? type : [type])
  const members = anyOf ?? oneOf
  if (!Array.isArray(members)) return undefined
  const all = members.slice(0, 64).map((member) => typesOf(member, root, depth + 1))
  return new Set(all.flatMap((types) => (types === undefined ? ["string"] : [...types])))
}

/** Whether a schema wants this in place of its text. */
const wants = (schema: Json | undefined, root: JsonObject, value: Json | undefined): boolean => {
  const kind = Array.isArray(value) ? "array" : isJsonObject(value) ? "object" : undefined
  const types = kind === undefined ? undefined : typesOf(schema, root)
  return kind !== undefined && types !== undefined && types.has(kind) && !types.has("string")
}

const propertiesOf = ({ properties }: JsonObject): JsonObject => (isJsonObject(properties) ? properties : {})

/** A member that is the text of what its schema wants becomes that; text where text is wanted stays text. */
const repaired = (args: JsonObject, schema: JsonObject): JsonObject => {
  const properties = propertiesOf(schema)
  const changed = Object.entries(args).flatMap(([name, value]): ReadonlyArray<readonly [string, Json]> => {
    if (typeof value !== "string" || !Object.hasOwn(properties, name)) return []
    const inside = parseJson(value)
    return inside !== undefined && wants(properties[name], schema, inside) ? [[name, inside]] : []
  })
  return changed.length === 0 ? args : { ...args, ...Object.fromEntries(changed) }
}

/** Adapters hand on what they could not parse as the one member `_raw`. */
const isUnparsed = (args: JsonObject, schema: JsonObject): boolean =>
  Object.keys(args).length === 1 && typeof args["_raw"] === "string" && !Object.hasOwn(propertiesOf(schema), "_raw")

/**
 * Reads arguments.
 *
 * @param params what the model wrote; nothing and an empty text are no arguments
 * @param schema of the tool's input
 */
export const argumentsOf = (params: unknown, schema: JsonObject): CallArguments => {
  if (params === undefined || params === null) return { args: {} }
  if (typeof params === "string") {
    if (params.trim() === "") return { args: {} }
    const inside = parseJson(params)
    if (inside === undefined) return { problem: noJson }
    return isJsonObject(inside) ? { args: repaired(inside, schema) } : { problem: noObject }
  }
  if (!isJsonObject(params)) return { problem: noObject }
  return isUnparsed(params, schema) ? { problem: noJson } : { args: repaired(params, schema) }
}

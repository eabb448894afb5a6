/**
 * Schemas of foreign tools as models are shown them: no larger than a model can use, and with what providers insist on.
 * Servers check arguments by their own schema, which stays as it is.
 */
import { isJsonObject, nestsDeeper, type Json, type JsonObject } from "@treadle/protocol/json"

/** Levels of a schema. */
const deepest = 64

/** Characters of a schema. */
const longest = 100_000

/** Members that hold schemas by name, that hold a list of schemas, and that hold one. */
const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
const listed = ["anyOf", "oneOf", "allOf", "prefixItems"]
const single = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]

const isArray = ({ type }: JsonObject): boolean => type === "array" || (Array.isArray(type) && type.includes("array"))

const eachMember = (value: Json | undefined): Json | undefined =>
  isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, complete(one)])) : value

const each = (value: Json | undefined): Json | undefined => (Array.isArray(value) ? value.map(complete) : value)

/** Says of each list what is in it, which JSON Schema need not and some providers demand. */
const complete = (schema: Json): Json => {
  if (!isJsonObject(schema)) return schema
  const changed: Record<string, Json | undefined> = { ...schema }
  for (const key of named) if (Object.hasOwn(schema, key)) changed[key] = eachMember(schema[key])
  for (const key of listed) if (Object.hasOwn(schema, key)) changed[key] = each(schema[key])
  for (const key of single)
    if (Object.hasOwn(schema, key))
      changed[key] = Array.isArray(schema[key]) ? each(schema[key]) : complete(schema[key] ?? {})
  if (isArray(schema) && !Object.hasOwn(schema, "items")) changed["items"] = {}
  return changed as JsonObject
}

/** Why a schema is not shown to a model; nothing where it is. */
export const schemaFault = (schema: JsonObject): string | undefined => {
  if (nestsDeeper(schema, deepest)) return `its schema nests deeper than ${deepest} levels`
  const { length } = JSON.stringify(schema)
  return length > longest ? `its schema has ${length} characters, more than ${longest}` : undefined
}

/** A schema for models, of one that has no fault. */
export const modelSchema = (schema: JsonObject): JsonObject => complete(schema) as JsonObject

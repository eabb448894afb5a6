/**
 * Prints an Effect Schema as the lean JSON Schema 2020-12 that MCP tools publish.
 *
 * Lean: the bounds that every safe integer has and `additionalProperties: true` say nothing, so they are left out.
 */
import * as Schema from "effect/Schema"
import { isJsonObject, type Json, type JsonObject } from "./Json.ts"
import { resolveRoot } from "./JsonSchema.ts"

const schemaMaps = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"])
const data = new Set(["default", "const", "enum", "examples"])

const texts = new Set(["title", "description", "default", "examples"])

/** Annotations with these prefixes go into the printed schema as they stand, `x-mcp-header` among them. */
const isExtensionKey = (key: string): boolean => key.startsWith("x-")

/** Keywords that say the same beside a schema as in it. */
const constraints = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems"
])

const fitsInto = (node: ReadonlyMap<string, Json>, part: JsonObject): boolean =>
  Object.keys(part).every((key) => texts.has(key) || isExtensionKey(key) || (constraints.has(key) && !node.has(key)))

/** What annotations and checks wrote beside a member's schema, moved into it: few readers look into an `allOf`. */
const flatten = (node: JsonObject): JsonObject => {
  const { allOf: parts, ...rest } = node
  if (!Array.isArray(parts)) return node
  const merged = new Map(Object.entries(rest))
  const kept: Array<Json> = []
  for (const part of parts) {
    if (isJsonObject(part) && fitsInto(merged, part))
      Object.entries(part).forEach(([key, value]) => merged.set(key, value))
    else kept.push(part)
  }
  if (kept.length > 0) merged.set("allOf", kept)
  return Object.fromEntries(merged)
}

const saysNothing = (node: JsonObject, key: string, value: Json): boolean =>
  (key === "additionalProperties" && value === true) ||
  (node["type"] === "integer" &&
    ((key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
      (key === "maximum" && value === Number.MAX_SAFE_INTEGER)))

/** Editors and model providers refuse a list that does not say what is in it, although JSON Schema allows it. */
const withItems = (node: JsonObject): JsonObject => {
  const type = node["type"]
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"))
  return isList && !Object.hasOwn(node, "items") ? { ...node, items: {} } : node
}

const leanNode = (given: Json): Json => {
  if (Array.isArray(given)) return given.map(leanNode)
  if (!isJsonObject(given)) return given
  const node = withItems(flatten(given))
  const kept = Object.entries(node).filter(([key, value]) => !saysNothing(node, key, value))
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      data.has(key) || isExtensionKey(key) ? value : schemaMaps.has(key) ? leanMap(value) : leanNode(value)
    ])
  )
}

const leanMap = (value: Json): Json =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, leanNode(schema)]))
    : value

/** Removes what says nothing from a JSON Schema. */
export const lean = (schema: JsonObject): JsonObject => {
  const out = leanNode(schema)
  return isJsonObject(out) ? out : schema
}

/**
 * The JSON Schema of what a schema's JSON form may be.
 *
 * @param schema any Effect Schema; one without a JSON form prints as `{}`, which `lintSchema` reports
 */
export const printSchema = (schema: Schema.Constraint): JsonObject => {
  const document = Schema.toJsonSchemaDocument(schema, { includeAnnotationKey: isExtensionKey })
  return lean(resolveRoot(document.schema as JsonObject, document.definitions as JsonObject))
}

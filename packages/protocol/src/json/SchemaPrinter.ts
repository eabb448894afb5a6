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

/** What annotations wrote beside a member's schema, moved into it: few readers look into an `allOf` of descriptions. */
const flatten = (node: JsonObject): JsonObject => {
  const parts = node["allOf"]
  if (!Array.isArray(parts)) return node
  const said = parts.filter(
    (part): part is JsonObject => isJsonObject(part) && Object.keys(part).every((key) => texts.has(key) || isExtensionKey(key))
  )
  if (said.length === 0) return node
  const { allOf: _, ...rest } = node
  const kept = parts.filter((part) => !said.includes(part as JsonObject))
  return said.reduce((out, part) => ({ ...out, ...part }), kept.length === 0 ? rest : { ...rest, allOf: kept })
}

const saysNothing = (node: JsonObject, key: string, value: Json): boolean =>
  (key === "additionalProperties" && value === true) ||
  (node["type"] === "integer" &&
    ((key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
      (key === "maximum" && value === Number.MAX_SAFE_INTEGER)))

const leanNode = (given: Json): Json => {
  if (Array.isArray(given)) return given.map(leanNode)
  if (!isJsonObject(given)) return given
  const node = flatten(given)
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

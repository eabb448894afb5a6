/**
 * JSON Schema documents as MCP tools publish them: the root is no reference and every definition is in `$defs`.
 *
 * References that leave the document are never followed; a document that has one is refused.
 */
import { isJsonObject, type Json, type JsonObject } from "./Json.ts"

/** How deep a schema may nest before it is refused. */
export const maxSchemaDepth = 64

const localRef = "#/$defs/"

const referenceName = (schema: Json): string | undefined =>
  isJsonObject(schema) && typeof schema["$ref"] === "string" && schema["$ref"].startsWith(localRef)
    ? decodeURIComponent(schema["$ref"].slice(localRef.length).replaceAll("~1", "/").replaceAll("~0", "~"))
    : undefined

/**
 * A schema whose root is not a reference, although it may be made of one.
 *
 * @param schema the root
 * @param definitions what `#/$defs/…` names
 */
export const resolveRoot = (schema: JsonObject, definitions: JsonObject): JsonObject => {
  let root = schema
  let rest = definitions
  for (let depth = 0; depth < maxSchemaDepth; depth++) {
    const name = referenceName(root)
    const target = name === undefined || !Object.hasOwn(definitions, name) ? undefined : definitions[name]
    if (name === undefined || !isJsonObject(target)) break
    const { $ref: _, ...beside } = root
    root = { ...target, ...beside }
    if (!JSON.stringify(definitions).includes(JSON.stringify(`${localRef}${name}`))) {
      const { [name]: _inlined, ...others } = rest
      rest = others
    }
  }
  return Object.keys(rest).length === 0 ? root : { ...root, $defs: rest }
}

/** Whether the root of a schema says that the value is an object. */
export const hasObjectRoot = (schema: JsonObject): boolean => schema["type"] === "object"

/** Why a schema from outside is not used, or `undefined` when it can be. Nothing is fetched to find out. */
export const refuseSchema = (schema: Json): string | undefined => {
  const visit = (node: Json, depth: number): string | undefined => {
    if (depth > maxSchemaDepth) return `the schema nests deeper than ${maxSchemaDepth} levels`
    if (Array.isArray(node)) {
      for (const item of node) {
        const found = visit(item, depth + 1)
        if (found !== undefined) return found
      }
      return undefined
    }
    if (!isJsonObject(node)) return undefined
    const ref = node["$ref"]
    if (typeof ref === "string" && ref !== "" && !ref.startsWith("#")) {
      return `"$ref": ${JSON.stringify(ref)} leaves the document, and references are not fetched`
    }
    for (const key of Object.keys(node)) {
      const found = visit(node[key] ?? null, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }
  return visit(schema, 0)
}

const branches = ["anyOf", "oneOf", "allOf"] as const

const isObjectSchema = (schema: Json, root: JsonObject, depth: number): boolean => {
  if (!isJsonObject(schema) || depth > 8) return false
  if (schema["type"] === "object") return true
  const name = referenceName(schema)
  const definitions = root["$defs"]
  if (name !== undefined && isJsonObject(definitions) && Object.hasOwn(definitions, name)) {
    return isObjectSchema(definitions[name] ?? null, root, depth + 1)
  }
  return branches.some((key) => {
    const members = schema[key]
    if (!Array.isArray(members) || members.length === 0) return false
    return key === "allOf"
      ? members.some((member) => isObjectSchema(member, root, depth + 1))
      : members.every((member) => isObjectSchema(member, root, depth + 1))
  })
}

/**
 * The schema with `type: "object"` at its root, where every value it admits is an object: a union of objects becomes an
 * object with branches. `undefined` where it admits anything else.
 */
export const objectRoot = (schema: JsonObject): JsonObject | undefined => {
  if (hasObjectRoot(schema)) return schema
  return isObjectSchema(schema, schema, 0) ? { type: "object", ...schema } : undefined
}

const renameRefs = (node: Json, names: ReadonlyMap<string, string>): Json => {
  if (Array.isArray(node)) return node.map((item) => renameRefs(item, names))
  if (!isJsonObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      const name = key === "$ref" ? referenceName(node) : undefined
      const renamed = name === undefined ? undefined : names.get(name)
      return [key, renamed === undefined ? renameRefs(value, names) : `${localRef}${renamed}`]
    })
  )
}

/** One object schema that admits what any of the given ones admits; their definitions are kept apart. */
export const anyOfObjects = (schemas: ReadonlyArray<JsonObject>): JsonObject => {
  const definitions = new Map<string, Json>()
  const members = schemas.map(({ $defs, ...schema }) => {
    const names = new Map<string, string>()
    for (const [name, definition] of Object.entries(isJsonObject($defs) ? $defs : {})) {
      let free = name
      for (
        let n = 2;
        definitions.has(free) && JSON.stringify(definitions.get(free)) !== JSON.stringify(definition);
        n++
      ) {
        free = `${name}_${n}`
      }
      names.set(name, free)
      definitions.set(free, renameRefs(definition, names))
    }
    return renameRefs(schema, names)
  })
  return {
    type: "object",
    anyOf: members,
    ...(definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) })
  }
}

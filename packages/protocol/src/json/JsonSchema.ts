/**
 * JSON Schema documents as MCP tools publish them: the root is no reference and every definition is in `$defs`.
 *
 * References that leave the document are never followed; a document that has one is refused.
 */
import { isJsonObject, own, type Json, type JsonObject } from "./Json.ts"

/** How deep a schema may nest before it is refused. */
export const maxSchemaDepth = 64

const localRef = "#/$defs/"

interface Reference {
  /** The definition that it names. */
  readonly name: string
  /** What follows the name, with its slash: a way into the definition. */
  readonly rest: string
}

/** A reference into `$defs`, read as RFC 6901 in a URI fragment; `undefined` for any other text. */
const readReference = (ref: unknown): Reference | undefined => {
  if (typeof ref !== "string" || !ref.startsWith(localRef)) return undefined
  const slash = ref.indexOf("/", localRef.length)
  const end = slash < 0 ? ref.length : slash
  try {
    const name = decodeURIComponent(ref.slice(localRef.length, end)).replaceAll("~1", "/").replaceAll("~0", "~")
    return { name, rest: ref.slice(end) }
  } catch {
    return undefined
  }
}

const printReference = ({ name, rest }: Reference): string =>
  `${localRef}${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}${rest}`

/** The name of the definition that a schema stands for, where it is a reference to a whole one. */
const referenceName = (schema: Json): string | undefined => {
  const reference = isJsonObject(schema) ? readReference(schema["$ref"]) : undefined
  return reference?.rest === "" ? reference.name : undefined
}

/** The definition of a document that a schema stands for, where it is a reference to a whole one that is there. */
export const definitionOf = (schema: Json, root: JsonObject): Json | undefined => {
  const name = referenceName(schema)
  return name === undefined ? undefined : (own(root["$defs"], name) as Json | undefined)
}

/** The same schema with each of its references replaced. */
const mapReferences = (node: Json, replace: (ref: string) => string): Json => {
  if (Array.isArray(node)) return node.map((item) => mapReferences(item, replace))
  if (!isJsonObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" ? replace(value) : mapReferences(value, replace)
    ])
  )
}

/** Whether any reference of a schema passes the test. */
const someReference = (node: Json, test: (ref: string) => boolean): boolean => {
  if (Array.isArray(node)) return node.some((item) => someReference(item, test))
  if (!isJsonObject(node)) return false
  return Object.entries(node).some(([key, value]) =>
    key === "$ref" && typeof value === "string" ? test(value) : someReference(value, test)
  )
}

const refersTo = (node: Json, name: string): boolean => someReference(node, (ref) => readReference(ref)?.name === name)

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
    if (!refersTo(definitions, name)) {
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
  const definition = definitionOf(schema, root)
  if (definition !== undefined) return isObjectSchema(definition, root, depth + 1)
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

/** A schema taken out of its document, with what it needs of it. */
interface Embedded {
  readonly schema: JsonObject
  readonly definitions: JsonObject
  /** `$schema`, which may stand at the root of a document only. */
  readonly dialect: JsonObject
}

const freeName = (wanted: string, taken: (name: string) => boolean): string => {
  let name = wanted
  for (let n = 2; taken(name); n++) name = `${wanted}_${n}`
  return name
}

/** A schema that may stand inside another document: references to its old root lead to a definition instead. */
export const embed = (document: JsonObject): Embedded => {
  const { $defs, $schema, ...schema } = document
  const definitions = isJsonObject($defs) ? $defs : {}
  const dialect: JsonObject = $schema === undefined ? {} : { $schema }
  const isRootReference = (ref: string) => (ref === "#" || ref.startsWith("#/")) && !ref.startsWith(localRef)
  if (!someReference(document, isRootReference)) return { schema, definitions, dialect }
  const name = freeName("Root", (one) => Object.hasOwn(definitions, one))
  const moved = mapReferences({ ...definitions, [name]: schema }, (ref) =>
    isRootReference(ref) ? printReference({ name, rest: ref.slice(1) }) : ref
  )
  return { schema: { $ref: printReference({ name, rest: "" }) }, definitions: moved as JsonObject, dialect }
}

/**
 * One object schema that admits what any of the given ones admits. Definitions of one name are shared where they are
 * the same, and kept apart otherwise.
 */
export const anyOfObjects = (schemas: ReadonlyArray<JsonObject>): JsonObject => {
  const merged = new Map<string, Json>()
  const shareable = new Map<string, string>()
  let root: JsonObject = {}
  const members = schemas.map((document) => {
    const { schema, definitions, dialect } = embed(document)
    root = { ...dialect, ...root }
    const entries = Object.entries(definitions)
    const clash = entries.some(([name, one]) => merged.has(name) && shareable.get(name) !== JSON.stringify(one))
    if (!clash) {
      for (const [name, one] of entries) {
        merged.set(name, one)
        shareable.set(name, JSON.stringify(one))
      }
      return schema
    }
    const names = new Map<string, string>()
    const taken = (name: string) => merged.has(name) || [...names.values()].includes(name)
    for (const [name] of entries) names.set(name, freeName(name, taken))
    const rename = (ref: string): string => {
      const reference = readReference(ref)
      const renamed = reference === undefined ? undefined : names.get(reference.name)
      return reference === undefined || renamed === undefined ? ref : printReference({ ...reference, name: renamed })
    }
    for (const [name, one] of entries) merged.set(names.get(name) ?? name, mapReferences(one, rename))
    return mapReferences(schema, rename)
  })
  return {
    ...root,
    type: "object",
    anyOf: members,
    ...(merged.size === 0 ? {} : { $defs: Object.fromEntries(merged) })
  }
}

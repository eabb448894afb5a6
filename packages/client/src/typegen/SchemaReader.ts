/**
 * Reads a JSON Schema document into shapes. Total: what no shape can say becomes the loosest one that is right, with a
 * note, and nothing is fetched.
 *
 * A part that is referred to, or that nests deeply, becomes a definition; definitions may refer to themselves.
 */
import { isJsonObject, own, pathText, type Json, type JsonObject } from "@treadle/protocol/json"
import { isDescriptive, mergeSchemas } from "./MergeSchemas.ts"
import { typeName } from "./Names.ts"
import { isAnything, isTypeName, readListed, readType, toldType, type Reading } from "./ReadType.ts"
import { admits, plain, primitive, type Definition, type Field, type Shape } from "./Shape.ts"

/** Bounds of what is read: a compiler has its own, and schemas come from strangers. */
const limits = {
  /** Levels of JSON. */
  depth: 128,
  /** Schemas of one document, each counted as often as it is read. */
  schemas: 20_000,
  /** Types inside of each other, over references too. */
  levels: 400,
  /** Types that are written into each other before one is given a name. */
  nesting: 7
}

/** Where a schema stands. */
interface Place {
  /** As people call it. */
  readonly path: string
  /** In the document, as a reference names it. */
  readonly pointer: string
  /** How many types it is inside of. */
  readonly level: number
  /** The same, since the last one that has a name. */
  readonly nesting: number
  /** The definitions that are being read, with no object or list between them and here. */
  readonly open: ReadonlySet<string>
  /** The notes of the member that it belongs to. */
  readonly notes: Array<string>
}

/** A definition that is being read. Until it is, it admits nothing. */
class Defined implements Definition {
  shape: Shape = primitive("Never")
  readonly notes: Array<string> = []
  readonly wanted: string
  readonly identifier: string | undefined
  readonly source: string

  constructor(wanted: string, identifier: string | undefined, source: string) {
    this.wanted = wanted
    this.identifier = identifier
    this.source = source
  }
}

/** How a document is read. */
export interface ReaderSettings {
  /** What its parts are called that have no name of their own. */
  readonly name: string
  /** Where it stands, as people call it. */
  readonly path: string
  readonly runsPatterns: boolean
  readonly onNote: (path: string, message: string) => void
}

const isDeeper = (node: Json, levels: number): boolean =>
  typeof node === "object" &&
  node !== null &&
  (levels === 0 || Object.values(node).some((part: Json) => isDeeper(part, levels - 1)))

/** A token of a JSON pointer inside a URI fragment. */
const token = (name: string): string => {
  const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1")
  return /\p{Surrogate}/u.test(escaped) ? escaped : encodeURIComponent(escaped)
}

const tokens = (pointer: string): ReadonlyArray<string> | undefined => {
  try {
    return pointer
      .split("/")
      .slice(1)
      .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
  } catch {
    return undefined
  }
}

/** The schema's part that a reference names, or `undefined` where it names none of this document. */
const resolve = (root: JsonObject, reference: string): Json | undefined => {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined
  return tokens(reference)?.reduce<Json | undefined>((node, name) => {
    const part = Array.isArray(node) && /^\d+$/.test(name) ? node[Number(name)] : own(node, name)
    return part as Json | undefined
  }, root)
}

/** Keywords that apply to any type, and that no schema of a contract checks. */
const unchecked = ["not", "if", "then", "else", "$dynamicRef", "$recursiveRef"]

/** Annotations of text that a schema of a contract carries. */
const sayable = new Set(["title", "description", "format", "contentEncoding", "contentMediaType"])

export class SchemaReader {
  readonly #root: JsonObject
  readonly #settings: ReaderSettings
  readonly #definitions = new Map<string, Defined>()
  #budget = limits.schemas

  constructor(root: JsonObject, settings: ReaderSettings) {
    this.#settings = settings
    this.#root = root
  }

  /** The document's root. */
  read(): { readonly shape: Shape; readonly notes: ReadonlyArray<string> } {
    return this.readAt(this.#root, "#")
  }

  /** A part of the document. */
  readAt(node: Json, pointer: string): { readonly shape: Shape; readonly notes: ReadonlyArray<string> } {
    const notes: Array<string> = []
    const place: Place = { path: this.#settings.path, pointer, level: 0, nesting: 0, open: new Set(), notes }
    if (!isDeeper(this.#root, limits.depth)) return { shape: this.#read(node, place), notes }
    this.#note(place, `it is not understood: it nests deeper than ${limits.depth} levels`)
    return { shape: primitive("Unknown"), notes }
  }

  #note(place: Place, message: string): void {
    if (place.notes.includes(message)) return
    place.notes.push(message)
    this.#settings.onNote(place.path, message)
  }

  #unknown(place: Place, message: string): Shape {
    this.#note(place, message)
    return primitive("Unknown")
  }

  #read(node: Json, place: Place): Shape {
    if (this.#budget-- <= 0) {
      return this.#unknown(place, `it is not understood: the document holds more than ${limits.schemas} schemas`)
    }
    if (place.level > limits.levels) {
      return this.#unknown(place, `it is not understood: it is inside of more than ${limits.levels} types`)
    }
    if (node === true) return primitive("Json")
    if (node === false) return primitive("Never")
    if (!isJsonObject(node)) return this.#unknown(place, "it is not understood: it is no schema")
    return place.nesting > limits.nesting
      ? this.#define(`@${place.pointer}`, node, place)
      : this.#readObject(node, place)
  }

  #readObject(node: JsonObject, place: Place): Shape {
    const shape = this.#readKind(node, place)
    return this.#withSaid(shape, node, place)
  }

  #readKind(node: JsonObject, place: Place): Shape {
    const { $ref: reference, ...beside } = node
    if (typeof reference === "string") return this.#readReference(reference, beside, place)
    if (Array.isArray(node["allOf"])) return this.#readAll(node, node["allOf"], place)
    for (const key of ["anyOf", "oneOf"]) {
      const branches = node[key]
      if (Array.isArray(branches) && branches.length > 0) return this.#readBranches(node, key, branches, place)
    }
    if (Object.keys(node).every((key) => key === "not" || isDescriptive(key)) && isAnything(own(node, "not"))) {
      return primitive("Never")
    }
    return this.#readTyped(node, place)
  }

  #readTyped(node: JsonObject, place: Place): Shape {
    const vain = unchecked.filter((key) => Object.hasOwn(node, key))
    for (const key of vain) this.#note(place, `"${key}" is not checked`)
    const reading = this.#reading(place)
    const said = own(node, "type")
    const types = [...new Set(Array.isArray(said) ? said : [said])].filter(isTypeName)
    const values = readListed(node, types, reading)
    if (values !== undefined) return values
    const [type, ...others] = types
    if (type !== undefined && others.length > 0) {
      return plain({ _tag: "Union", members: types.map((one) => readType(one, node, reading)) })
    }
    if (type !== undefined) return readType(type, node, reading)
    if (said !== undefined) return this.#unknown(place, '"type" is not understood')
    const told = toldType(node)
    if (told === undefined) return primitive(vain.length > 0 ? "Unknown" : "Json")
    this.#note(place, `"type" is missing: it is read as ${told}`)
    return readType(told, node, reading)
  }

  #reading(place: Place): Reading {
    const below = (names: ReadonlyArray<string>, path: string): Place => ({
      ...place,
      path,
      pointer: [place.pointer, ...names.map(token)].join("/"),
      level: place.level + 1,
      nesting: place.nesting + 1,
      open: new Set()
    })
    return {
      inside: (node, names, where) => this.#read(node, below(names, place.path + where)),
      member: (node, name, optional): Field => {
        const at = pathText([name])
        const notes: Array<string> = []
        const path = `${place.path}${at.startsWith("[") ? "" : "."}${at}`
        return { name, optional, shape: this.#read(node, { ...below(["properties", name], path), notes }), notes }
      },
      note: (message) => this.#note(place, message),
      runsPatterns: this.#settings.runsPatterns
    }
  }

  #readReference(reference: string, beside: JsonObject, place: Place): Shape {
    const target = resolve(this.#root, reference)
    const quoted = `"$ref": ${JSON.stringify(reference)}`
    if (target === undefined) {
      return this.#unknown(
        place,
        `${quoted} is not understood: it names no part of this schema, and nothing is fetched`
      )
    }
    if (place.open.has(reference)) return this.#unknown(place, `${quoted} refers to itself`)
    if (Object.keys(beside).every(isDescriptive)) return this.#define(reference, target, place)
    const merged = mergeSchemas(beside, isJsonObject(target) ? target : {}, (key) => this.#lost(key, place))
    return this.#readKind(merged, { ...place, open: new Set([...place.open, reference]) })
  }

  #readAll(node: JsonObject, parts: ReadonlyArray<Json>, place: Place): Shape {
    const { allOf: _, ...beside } = node
    const [only] = parts
    if (parts.length === 1 && only !== undefined && Object.keys(beside).every(isDescriptive)) {
      return this.#read(only, { ...place, pointer: `${place.pointer}/allOf/0`, level: place.level + 1 })
    }
    const open = new Set(place.open)
    const merged = parts.reduce<JsonObject>((one, part) => {
      const { inlined, passed } = this.#inlined(part)
      if (passed.some((reference) => open.has(reference))) {
        this.#note(place, '"allOf" refers to itself')
        return one
      }
      for (const reference of passed) open.add(reference)
      return mergeSchemas(one, inlined, (key) => this.#lost(key, place))
    }, beside)
    return this.#readKind(merged, { ...place, open, level: place.level + 1 })
  }

  /** A part of an `allOf`, with what it refers to in its place. */
  #inlined(part: Json): { readonly inlined: JsonObject; readonly passed: ReadonlyArray<string> } {
    const passed: Array<string> = []
    let node = part
    while (isJsonObject(node) && typeof node["$ref"] === "string" && Object.keys(node).length === 1) {
      const reference: string = node["$ref"]
      const target = resolve(this.#root, reference)
      if (target === undefined || passed.includes(reference)) break
      passed.push(reference)
      node = target
    }
    return { inlined: isJsonObject(node) ? node : {}, passed }
  }

  /** Each branch is read together with what stands beside all of them. */
  #readBranches(node: JsonObject, key: string, branches: ReadonlyArray<Json>, place: Place): Shape {
    const { [key]: _, ...rest } = node
    const beside = Object.fromEntries(Object.entries(rest).filter(([name]) => !isDescriptive(name)))
    const read = (branch: Json, index: number): Shape => {
      const at: Place = {
        ...place,
        path: `${place.path}<${index + 1}>`,
        pointer: `${place.pointer}/${key}/${index}`,
        level: place.level + 1,
        nesting: place.nesting + 1
      }
      if (Object.keys(beside).length === 0 || !isJsonObject(branch)) return this.#read(branch, at)
      // No reference leads to both as one, so neither does this pointer.
      const together = { ...at, pointer: `${at.pointer}~` }
      return this.#read(
        mergeSchemas(branch, beside, (lost) => this.#lost(lost, at)),
        together
      )
    }
    const members = branches.map(read)
    const [only] = members
    return members.length === 1 && only !== undefined ? only : plain({ _tag: "Union", members })
  }

  #lost(key: string, place: Place): void {
    this.#note(place, `"${key}" is said twice, and only one of both is checked`)
  }

  #define(reference: string, node: Json, place: Place): Shape {
    const known = this.#definitions.get(reference)
    if (known !== undefined) return plain({ _tag: "Reference", definition: known })
    const last = tokens(reference.replace(/^@/, ""))?.at(-1) ?? ""
    const isNamed = /^#\/(?:\$defs|definitions)\/[^/]+$/.test(reference)
    const definition = new Defined(
      typeName(/^[A-Za-z_]/.test(last) ? last : "", this.#settings.name),
      isNamed ? last : undefined,
      `${reference} ${this.#settings.runsPatterns} ${JSON.stringify(node)}`
    )
    this.#definitions.set(reference, definition)
    const inside: Place = {
      path: place.path,
      pointer: reference.replace(/^@/, ""),
      level: place.level + 1,
      nesting: 0,
      open: new Set([...place.open, reference]),
      notes: definition.notes
    }
    definition.shape = isJsonObject(node) ? this.#readObject(node, inside) : this.#read(node, inside)
    return plain({ _tag: "Reference", definition })
  }

  /** A shape with what its schema says beside what it checks. */
  #withSaid(shape: Shape, node: JsonObject, place: Place): Shape {
    const said = new Map<string, Json>(Object.entries(shape.said))
    for (const [key, value] of Object.entries(node)) {
      if (key.startsWith("x-") || (sayable.has(key) && typeof value === "string")) said.set(key, value)
      if ((key === "readOnly" || key === "writeOnly") && typeof value === "boolean") said.set(key, value)
      if (key === "default" && admits(shape, value)) said.set(key, value)
      else if (key === "default") this.#note(place, '"default" is left out: it is no value of its own schema')
      if (key === "examples" && Array.isArray(value)) {
        const right = value.filter((example: Json) => admits(shape, example))
        if (right.length > 0) said.set(key, right)
      }
    }
    return { ...shape, said: Object.fromEntries(said) }
  }
}

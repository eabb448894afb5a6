/**
 * A listed tool as the parts of an endpoint: its input, its output and the errors that were published with it.
 */
import { isJsonObject, own, type Json, type JsonObject } from "@treadle/protocol/json"
import type { Tool } from "@treadle/protocol/schema"
import { typeName } from "./Names.ts"
import { SchemaReader, type ReaderSettings } from "./SchemaReader.ts"
import { anyObject, holdsObjects, isObjectShape, plain, type Field, type Shape, type StructShape } from "./Shape.ts"

/** One schema of an endpoint, with what was not understood of it. */
export interface Part {
  readonly shape: Shape
  readonly notes: ReadonlyArray<string>
}

/** A declared error: its tag, and its members but for the tag. */
export interface DeclaredError {
  readonly tag: string
  readonly fields: ReadonlyArray<Field>
}

/** What a tool published. */
export interface ToolParts {
  readonly tool: Tool
  /** Absent where it takes no arguments. */
  readonly input: Part | undefined
  /** Absent where it returns text and blocks. */
  readonly output: Part | undefined
  readonly errors: ReadonlyArray<DeclaredError>
  /** What is missing of it. */
  readonly remarks: ReadonlyArray<string>
}

type OnNote = (path: string, message: string) => void

const keysWithin = (node: JsonObject, keys: ReadonlyArray<string>): boolean =>
  Object.keys(node).every((key) => keys.includes(key))

const emptyInput = ["type", "properties", "required", "additionalProperties", "$schema", "title", "description"]

/** Whether a schema names no member and does not ask for others. `type: "object"` alone is any object. */
const takesNothing = (schema: JsonObject): boolean => {
  const properties = own(schema, "properties")
  const others = own(schema, "additionalProperties")
  const required = own(schema, "required") ?? []
  return (
    Array.isArray(required) &&
    required.length === 0 &&
    keysWithin(schema, emptyInput) &&
    (isJsonObject(properties) ? Object.keys(properties).length === 0 : others === false) &&
    (others === undefined || others === false)
  )
}

const readInput = ({ inputSchema }: Tool, settings: ReaderSettings): Part | undefined => {
  if (takesNothing(inputSchema)) return undefined
  const { notes, shape } = new SchemaReader(inputSchema, settings).read()
  if (holdsObjects(shape)) return { shape, notes }
  const message = "it is read as any object"
  settings.onNote(settings.path, message)
  return { shape: anyObject, notes: [...notes, message] }
}

/** The tag of a shape that an error class could have: an object with one literal for its `_tag`. */
const tagOf = (shape: Shape): { readonly tag: string; readonly struct: StructShape } | undefined => {
  if (shape._tag === "Reference") return tagOf(shape.definition.shape)
  if (shape._tag !== "Struct") return undefined
  const member = shape.fields.find(({ name, optional }) => name === "_tag" && !optional)
  const [tag, ...others] = member?.shape._tag === "Literals" ? member.shape.values : []
  return typeof tag === "string" && others.length === 0 ? { tag, struct: shape } : undefined
}

/**
 * The branches of an output schema that publishes errors: an object that is the value or one of the errors, each of which
 * has its own tag. A value that has a tag too could not be told from them.
 */
const branchesWithErrors = (schema: JsonObject): ReadonlyArray<Json> | undefined => {
  const { anyOf } = schema
  return Array.isArray(anyOf) &&
    anyOf.length > 1 &&
    keysWithin(schema, ["type", "anyOf", "$defs", "$schema"]) &&
    schema["type"] === "object"
    ? anyOf
    : undefined
}

const readErrors = (reader: SchemaReader, branches: ReadonlyArray<Json>): ReadonlyArray<DeclaredError> | undefined => {
  const errors = branches.flatMap((branch, index) => {
    const found = tagOf(reader.readAt(branch, `#/anyOf/${index}`).shape)
    return found === undefined
      ? []
      : [{ tag: found.tag, fields: found.struct.fields.filter(({ name }) => name !== "_tag"), index }]
  })
  const tags = new Set(errors.map(({ tag }) => tag))
  const areErrors = errors.length === branches.length - 1 && errors[0]?.index === 1 && tags.size === errors.length
  return areErrors && errors.every(({ tag }) => tag !== "")
    ? errors.map(({ fields, tag }) => ({ fields, tag }))
    : undefined
}

/** The value of an output that travels as `{ "value": … }`, because it is no object. */
const wrapped = (node: Json): Json | undefined => {
  if (!isJsonObject(node) || !keysWithin(node, ["type", "properties", "required", "$defs", "$schema"])) return undefined
  const { properties, required } = node
  const isWrapper =
    node["type"] === "object" &&
    isJsonObject(properties) &&
    Object.keys(properties).join() === "value" &&
    Array.isArray(required) &&
    required.join() === "value"
  return isWrapper ? properties["value"] : undefined
}

type ReadValue = Pick<ToolParts, "output" | "remarks">

const valueOf = (shape: Shape, notes: ReadonlyArray<string>): ReadValue => ({ output: { shape, notes }, remarks: [] })

const readValue = (reader: SchemaReader, node: Json, pointer: string, settings: ReaderSettings): ReadValue => {
  const value = wrapped(node)
  if (value !== undefined) {
    const { notes, shape } = reader.readAt(value, `${pointer}/properties/value`)
    if (!isObjectShape(shape)) return valueOf(shape, notes)
    return valueOf(
      plain({ _tag: "Struct", fields: [{ name: "value", shape, optional: false, notes }], open: false }),
      []
    )
  }
  const { notes, shape } = reader.readAt(node, pointer)
  if (isObjectShape(shape)) return valueOf(shape, notes)
  if (holdsObjects(shape) || own(node, "type") === "object") {
    const message = "it is read as any object: an endpoint would wrap it"
    settings.onNote(settings.path, message)
    return valueOf(anyObject, [...notes, message])
  }
  const message = "it is left out, because endpoints read objects: session.callTool gives it as it came"
  settings.onNote(settings.path, message)
  return { output: undefined, remarks: [`Its output is no object; ${message}.`] }
}

const readOutput = (schema: JsonObject, settings: ReaderSettings): Omit<ToolParts, "tool" | "input"> => {
  const branches = branchesWithErrors(schema)
  const quiet = { ...settings, onNote: () => {} }
  if (branches === undefined || readErrors(new SchemaReader(schema, quiet), branches) === undefined) {
    return { ...readValue(new SchemaReader(schema, settings), schema, "#", settings), errors: [] }
  }
  const reader = new SchemaReader(schema, settings)
  const [value = {}] = branches
  const read = readValue(reader, value, "#/anyOf/0", settings)
  return { ...read, errors: readErrors(reader, branches) ?? [] }
}

const noOutput: Omit<ToolParts, "tool" | "input"> = { output: undefined, errors: [], remarks: [] }

/** Reads what a tool published. Total: what cannot be said is noted. */
export const toolParts = (tool: Tool, onNote: OnNote): ToolParts => {
  const name = typeName(tool.name, "Tool")
  const settings = (path: string, suffix: string, runsPatterns: boolean): ReaderSettings => ({
    name: `${name}${suffix}`,
    path,
    runsPatterns,
    onNote
  })
  const { outputSchema } = tool
  return {
    tool,
    input: readInput(tool, settings("input", "Input", true)),
    ...(outputSchema === undefined ? noOutput : readOutput(outputSchema, settings("output", "Output", false)))
  }
}

/**
 * Arguments that travel as text: those of a prompt, and the variables of a template. What an author wrote for them is
 * read like the input of a tool, and each member must take strings only.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { toolShape, type ShapeFault } from "@treadle/protocol/endpoint"
import {
  definitionOf,
  isJsonObject,
  isRecord,
  own,
  type Json,
  type JsonObject,
  type Misfit
} from "@treadle/protocol/json"
import type { PromptArgument } from "@treadle/protocol/schema"

export interface TextArguments {
  readonly names: ReadonlyArray<string>
  /** As `prompts/list` shows them. */
  readonly listing: ReadonlyArray<PromptArgument>
  /** Why they cannot be used; empty when they can. */
  readonly problems: ReadonlyArray<string>
  readonly decode: (texts: unknown) => Effect.Effect<unknown, Misfit>
}

const none: TextArguments = { names: [], listing: [], problems: [], decode: () => Effect.succeed({}) }

/** How deep a schema is looked into. */
const maxDepth = 16

/** Whether a schema admits strings and nothing else. */
const isText = (schema: Json, root: JsonObject, depth = 0): boolean => {
  if (!isJsonObject(schema) || depth > maxDepth) return false
  if (schema["type"] === "string") return true
  const { const: only, enum: values } = schema
  if (only !== undefined || values !== undefined) {
    return (Array.isArray(values) ? values : [only]).every((value) => typeof value === "string")
  }
  const definition = definitionOf(schema, root)
  if (definition !== undefined) return isText(definition, root, depth + 1)
  const branches = schema["anyOf"] ?? schema["oneOf"]
  if (Array.isArray(branches)) return branches.every((branch) => isText(branch, root, depth + 1))
  const parts = schema["allOf"]
  return Array.isArray(parts) && parts.some((part) => isText(part, root, depth + 1))
}

const cure =
  "must be encoded as text, because that is how it travels: use Schema.String, Schema.FiniteFromString or another schema " +
  "of a string"

/** The fields of an Effect Schema, where there are any. */
const fieldsOf = (source: unknown): { readonly [name: string]: unknown } => {
  const fields = Schema.isSchema(source) ? (source as { readonly fields?: unknown }).fields : source
  return isRecord(fields) ? fields : {}
}

/** What the author said of an argument; what a transforming schema says of its decoded side is said here too. */
const text = (key: "title" | "description", printed: Json, field: unknown): string | undefined => {
  const said = own(printed, key)
  if (typeof said === "string") return said
  if (!Schema.isSchema(field)) return undefined
  return key === "title" ? SchemaAST.resolveTitle(field.ast) : SchemaAST.resolveDescription(field.ast)
}

const listed = (name: string, printed: Json, field: unknown, required: boolean): PromptArgument => {
  const title = text("title", printed, field)
  const description = text("description", printed, field)
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(required ? { required } : {})
  }
}

const faultText = (fault: ShapeFault): string => {
  if (fault._tag !== "UnrepresentableSchema") return "the arguments are fields or a schema of an object"
  const { message, path } = fault.finding
  return path === "" ? message : `${JSON.stringify(path)}: ${message}`
}

/** A record of any names has none to list. */
const unnamed = (schema: JsonObject): ReadonlyArray<string> =>
  schema["properties"] === undefined && isJsonObject(schema["additionalProperties"])
    ? ["each argument is named: write fields instead of a record"]
    : []

/**
 * Reads what an author wrote. Never throws: what cannot be used is in `problems`.
 *
 * @param source fields, a schema of an object, or a Standard Schema with JSON Schema
 */
export const textArguments = (source: unknown): TextArguments => {
  if (source === undefined) return none
  const { input, inputSchema, faults } = toolShape({ input: source })
  const properties = Object.entries(isJsonObject(inputSchema["properties"]) ? inputSchema["properties"] : {})
  if (properties.length === 0) return { ...none, problems: [...faults.map(faultText), ...unnamed(inputSchema)] }
  const required = inputSchema["required"]
  const fields = fieldsOf(source)
  return {
    names: properties.map(([name]) => name),
    listing: properties.map(([name, printed]) =>
      listed(name, printed, fields[name], Array.isArray(required) && required.includes(name))
    ),
    problems: properties.flatMap(([name, printed]) =>
      isText(printed, inputSchema) ? [] : [`${JSON.stringify(name)} ${cure}`]
    ),
    decode: (texts) => input.decode(texts ?? {})
  }
}

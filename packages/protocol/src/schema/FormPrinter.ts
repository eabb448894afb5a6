/**
 * Makes the form that asks for a struct of primitive fields, and reads what a person filled in (ELIC-05, ELIC-06).
 *
 * A form can say less than a JSON Schema. What it cannot say is a problem that names the field and the cure, never a
 * field that accepts more than is checked.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  definitionOf,
  isJsonObject,
  isRecord,
  lintSchema,
  own,
  printSchema,
  problemOptions,
  schemaProblems,
  wireDecoder,
  type Json,
  type JsonObject,
  type Misfit,
  type SchemaFinding
} from "../json/index.ts"
import { FormField, type FormSchema } from "./Elicitation.ts"

/** A struct, or a class, whose fields a form can ask for. */
export type FormSource<T> = Schema.ConstraintCodec<T, unknown, never, never>

const formats = ["email", "uri", "date", "date-time"]
const texts = ["title", "description", "default"]

/** The keywords that a field of each type may have. */
const keywords: Readonly<Record<string, ReadonlyArray<string>>> = {
  string: ["minLength", "maxLength", "format"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
  array: ["minItems", "maxItems"]
}

/** What a client need not know, because the answer is checked where it arrives or a choice has it by nature. */
const silent = (key: string): boolean => key === "type" || key === "examples" || key.startsWith("x-")

const cures: Readonly<Record<string, string>> = {
  pattern: "a form has no patterns: use a format, or check the text after it was given",
  exclusiveMinimum: "a form has inclusive bounds only: use Schema.isGreaterThanOrEqualTo",
  exclusiveMaximum: "a form has inclusive bounds only: use Schema.isLessThanOrEqualTo",
  multipleOf: "a form cannot say multipleOf: use Schema.Int, or check the number after it was given",
  format: `a form knows the formats ${formats.join(", ")} only`
}

type Field = Result.Result<JsonObject, ReadonlyArray<string>>

const refuse = (...problems: ReadonlyArray<string>): Field => Result.fail(problems)

const pick = (node: JsonObject, keys: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(node).filter(([key]) => keys.includes(key)))

/** The node with the definition that it names in its place. */
const resolved = (node: Json | undefined, root: JsonObject): JsonObject | undefined => {
  if (!isJsonObject(node)) return undefined
  const { $ref: reference, ...beside } = node
  if (reference === undefined) return node
  const definition = definitionOf(node, root)
  return isJsonObject(definition) && definition["$ref"] === undefined ? { ...definition, ...beside } : undefined
}

interface Choices {
  readonly values: ReadonlyArray<string>
  /** The titles, where any was given. */
  readonly titles: ReadonlyArray<string> | undefined
}

interface Choice {
  readonly value: string
  readonly title: string | undefined
}

const choice = (node: Json): Choice | undefined => {
  if (!isJsonObject(node) || !Array.isArray(node["enum"]) || node["enum"].length !== 1) return undefined
  const [value] = node["enum"]
  const title = node["title"]
  return typeof value === "string" ? { value, title: typeof title === "string" ? title : undefined } : undefined
}

/** The strings that a node allows, or `undefined` where it is not a choice of strings. */
const choices = (node: JsonObject): Choices | undefined => {
  const values = node["enum"]
  if (Array.isArray(values)) {
    return values.every((value) => typeof value === "string") ? { values, titles: undefined } : undefined
  }
  const branches = node["anyOf"] ?? node["oneOf"]
  if (!Array.isArray(branches) || branches.length === 0) return undefined
  const named = branches.flatMap((branch) => choice(branch) ?? [])
  if (named.length < branches.length) return undefined
  return {
    values: named.map(({ value }) => value),
    titles: named.some(({ title }) => title !== undefined) ? named.map(({ title, value }) => title ?? value) : undefined
  }
}

const titled = ({ titles, values }: Choices): ReadonlyArray<JsonObject> =>
  values.map((value, index) => ({ const: value, title: titles?.[index] ?? value }))

/** A sentence about each value of a default that cannot be chosen. */
const strangers = (values: ReadonlyArray<string>, given: Json | undefined): ReadonlyArray<string> =>
  (Array.isArray(given) ? given : given === undefined ? [] : [given])
    .filter((value) => !values.includes(value))
    .map((value) => `the default ${JSON.stringify(value)} is none of the choices`)

const choiceField = (node: JsonObject, found: Choices): Field => {
  const wrong = strangers(found.values, node["default"])
  if (wrong.length > 0) return refuse(...wrong)
  return Result.succeed({
    type: "string",
    ...pick(node, texts),
    ...(found.titles === undefined ? { enum: found.values } : { oneOf: titled(found) })
  })
}

const listField = (node: JsonObject, root: JsonObject): Field => {
  const cure = "a form has lists of choices only: use Schema.Array(Schema.Literals([…]))"
  if (node["prefixItems"] !== undefined) {
    return refuse("a form has lists of one kind of item: use Schema.Array with Schema.isMinLength")
  }
  const item = resolved(node["items"], root)
  const found = item === undefined ? undefined : choices(item)
  if (found === undefined) return refuse(cure)
  const wrong = strangers(found.values, node["default"])
  if (wrong.length > 0) return refuse(...wrong)
  return Result.succeed({
    type: "array",
    ...pick(node, [...texts, "minItems", "maxItems"]),
    items: found.titles === undefined ? { type: "string", enum: found.values } : { anyOf: titled(found) }
  })
}

const unfit = (node: JsonObject): string => {
  const branches = node["anyOf"] ?? node["oneOf"]
  if (Array.isArray(branches)) {
    const has = (type: string) => branches.some((branch) => own(branch, "type") === type)
    if (has("number") && branches.length === 2) return "a form has finite numbers only: use Schema.Finite or Schema.Int"
    return has("null")
      ? "a form has no null: use Schema.optionalKey"
      : "a form has no unions, except of string literals: ask in two fields"
  }
  if (node["type"] === "object") return "a form is flat: lift the inner fields into it"
  if (Array.isArray(node["enum"])) return "the choices of a form are strings: use Schema.Literals of strings"
  return "a form asks for strings, numbers, booleans and choices only"
}

const plainField = (node: JsonObject, type: string, allowed: ReadonlyArray<string>): Field => {
  const kept = { type, ...pick(node, [...texts, ...allowed]) }
  const problems = Object.keys(node)
    .filter((key) => !silent(key) && !texts.includes(key) && !allowed.includes(key))
    .map((key) => cures[key] ?? `a form cannot say ${key}: leave it out`)
  const format = node["format"]
  if (format !== undefined && !formats.includes(String(format))) problems.push(String(cures["format"]))
  return problems.length === 0 ? Result.succeed(kept) : refuse(...problems)
}

const integerBounds = (node: JsonObject): JsonObject => {
  const { exclusiveMaximum: below, exclusiveMinimum: above, ...rest } = node
  return {
    ...rest,
    ...(typeof above === "number" ? { minimum: Math.floor(above) + 1 } : {}),
    ...(typeof below === "number" ? { maximum: Math.ceil(below) - 1 } : {})
  }
}

const fieldOf = (printed: Json, root: JsonObject): Field => {
  const node = resolved(printed, root)
  if (node === undefined) return refuse("a form asks for strings, numbers, booleans and choices only")
  const found = choices(node)
  if (found !== undefined) return choiceField(node, found)
  const type = node["type"]
  const allowed = typeof type === "string" && Object.hasOwn(keywords, type) ? keywords[type] : undefined
  if (typeof type !== "string" || allowed === undefined || node["enum"] !== undefined) return refuse(unfit(node))
  if (type === "array") return listField(node, root)
  return plainField(type === "integer" ? integerBounds(node) : node, type, allowed)
}

const decodeField = wireDecoder(FormField)

/** The field as it is published, or why it cannot be. */
const published = (printed: Json, root: JsonObject): Result.Result<FormField, ReadonlyArray<string>> =>
  Result.flatMap(fieldOf(printed, root), (field) => Result.mapError(decodeField(field), ({ problems }) => problems))

const properties = ({ properties: named }: JsonObject): JsonObject => (isJsonObject(named) ? named : {})

const rootProblem = (printed: JsonObject): string | undefined => {
  if (JSON.stringify(printed) === `{"not":{"type":"null"}}`) return undefined
  if (printed["type"] !== "object") return "a form is a struct of fields: use Schema.Struct"
  return isRecord(printed["additionalProperties"]) ? "a form names each of its fields: leave the record out" : undefined
}

/** Why a schema has no JSON form at all. */
const unprinted = (schema: unknown): ReadonlyArray<SchemaFinding> => {
  const { fields } = schema as { readonly fields?: unknown }
  const strangers = Object.entries(isRecord(fields) ? fields : {}).filter(([, field]) => !Schema.isSchema(field))
  return strangers.length === 0
    ? [{ path: "", message: "the names of a form are strings" }]
    : strangers.map(([path]) => ({ path, message: "is no Effect Schema; forms take fields of Effect schemas" }))
}

/**
 * The form that asks for a struct. Strings with a length or a format, finite and whole numbers with bounds, booleans,
 * literals (`enum`), `Schema.Enum` or unions of titled literals (`oneOf`), and lists of either; optional fields are not
 * required, and a `default` annotation is offered.
 *
 * @param schema a struct, a class or any schema whose JSON form is one
 * @returns the schema, or every problem with the field it is about and the cure
 *
 * @example
 * ```ts
 * import { formSchema } from "@treadle/protocol/schema"
 * import * as Result from "effect/Result"
 * import * as Schema from "effect/Schema"
 *
 * const Booking = Schema.Struct({ seats: Schema.Int, row: Schema.optionalKey(Schema.Literals(["front", "back"])) })
 * Result.getOrThrow(formSchema(Booking))
 * // => { type: "object", properties: { seats: { type: "integer" }, row: { type: "string", enum: ["front", "back"] } }, required: ["seats"] }
 * ```
 */
export const formSchema = <T>(schema: FormSource<T>): Result.Result<FormSchema, ReadonlyArray<SchemaFinding>> => {
  const print = Result.try(() => printSchema(schema))
  if (Result.isFailure(print)) return Result.fail(unprinted(schema))
  const printed = print.success
  const wrongRoot = rootProblem(printed)
  if (wrongRoot !== undefined) return Result.fail([{ path: "", message: wrongRoot }])
  const findings: Array<SchemaFinding> = []
  const fields: Array<readonly [string, FormField]> = []
  for (const [name, node] of Object.entries(properties(printed))) {
    const field = published(node, printed)
    if (Result.isSuccess(field)) fields.push([name, field.success])
    else findings.push(...field.failure.map((message) => ({ path: name, message })))
  }
  const told = new Set(findings.map(({ path }) => path))
  findings.push(...lintSchema(schema, printed, "input").filter(({ path }) => !told.has(path)))
  if (findings.length > 0) return Result.fail(findings)
  const required = printed["required"] as ReadonlyArray<string> | undefined
  return Result.succeed({
    type: "object",
    properties: Object.fromEntries(fields),
    ...(required === undefined ? {} : { required })
  })
}

/**
 * The reader of what a person filled in: the `content` of an accepted answer. A field that is missing gets the default
 * that the form offered (ELIC-06).
 *
 * @param schema one that `formSchema` makes a form of
 * @returns a total function: the struct, or every problem with the field it is about
 *
 * @example
 * ```ts
 * import { formAnswer } from "@treadle/protocol/schema"
 * import * as Result from "effect/Result"
 * import * as Schema from "effect/Schema"
 *
 * const read = formAnswer(Schema.Struct({ seats: Schema.Int.annotate({ default: 2 }) }))
 * read({}) // => Result.succeed({ seats: 2 })
 * ```
 */
export const formAnswer = <T>(schema: FormSource<T>): ((content: unknown) => Result.Result<T, Misfit>) => {
  const printed = printSchema(schema)
  const defaults = Object.fromEntries(
    Object.entries(properties(printed)).flatMap(([name, node]) => {
      const value = own(resolved(node, printed), "default")
      return value === undefined ? [] : [[name, value]]
    })
  )
  const decode = Schema.decodeUnknownResult(Schema.toCodecJson(schema as Schema.Codec<T>))
  return (content) => {
    const given = isRecord(content) ? { ...defaults, ...content } : (content ?? defaults)
    return Result.mapError(decode(given, problemOptions(given)), ({ issue }) => ({ problems: schemaProblems(issue) }))
  }
}

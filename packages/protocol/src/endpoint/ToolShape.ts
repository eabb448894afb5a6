/**
 * An endpoint as a tool: what is published about it, and how its arguments, values and errors travel. Server and client
 * read the same shape, so they agree.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  anyOfObjects,
  isJsonObject,
  objectRoot,
  own,
  structured,
  unwrap,
  wrap,
  type Json,
  type JsonObject,
  type Misfit,
  type SchemaFinding
} from "../json/index.ts"
import { paramHeaders, type ParamHeader } from "../http/index.ts"
import { effectCodec, inputCodec, outputCodec, type Codec } from "./Codec.ts"
import type { ErrorsDef, PureSchema } from "./Definition.ts"
import { errorSchemas, errorTag } from "./Errors.ts"

/** Why an endpoint cannot be a tool. */
export type ShapeFault =
  | { readonly _tag: "NotPromotable"; readonly message: string; readonly cure?: string }
  | { readonly _tag: "UnrepresentableSchema"; readonly part: string; readonly finding: SchemaFinding }
  | { readonly _tag: "InvalidHeaderAnnotation"; readonly message: string }
  | { readonly _tag: "AmbiguousErrors"; readonly tag: string }

/** How values travel, and back. */
export interface ValueShape {
  /** Whether it goes as `{ "value": … }`. */
  readonly wrapped: boolean
  /** The JSON that goes into `structuredContent`. */
  readonly encode: (value: unknown) => Effect.Effect<Json, Misfit>
  readonly decode: (structuredContent: unknown) => Effect.Effect<unknown, Misfit>
}

/** How an endpoint travels as a tool. */
export interface ToolShape {
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | undefined
  readonly input: Codec
  /** The names of the arguments, where the input is a plain object schema. */
  readonly argumentNames: ReadonlySet<string> | undefined
  /** Absent where the tool returns text or blocks only. */
  readonly output: ValueShape | undefined
  /** Absent where no error is declared. */
  readonly errors: ValueShape | undefined
  readonly headers: ReadonlyArray<ParamHeader>
  readonly faults: ReadonlyArray<ShapeFault>
  /** What its value is by itself, and what each of its declared errors is, as JSON Schema. */
  readonly printed: { readonly value: JsonObject | undefined; readonly errors: ReadonlyArray<JsonObject> }
}

const unrepresentable = (part: string, codec: Codec): ReadonlyArray<ShapeFault> =>
  codec.findings.map((finding) => ({ _tag: "UnrepresentableSchema", part, finding }))

const duplicates = (values: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index))
]

const errorShape = (schemas: ReadonlyArray<PureSchema>) => {
  const codecs = schemas.map((schema) => effectCodec(schema, "output"))
  const union = effectCodec(
    (schemas.length === 1 ? schemas[0] : Schema.Union(schemas as unknown as ReadonlyArray<Schema.Top>)) as PureSchema,
    "output"
  )
  const tags = codecs.flatMap((codec) => errorTag(codec.schema) ?? [])
  const faults: Array<ShapeFault> = codecs.flatMap((codec) => unrepresentable("errors", codec))
  for (const tag of duplicates(tags)) faults.push({ _tag: "AmbiguousErrors", tag })
  return {
    shape: { wrapped: false, encode: union.encode, decode: union.decode },
    printed: codecs.map((codec) => codec.schema),
    faults
  }
}

const outputShape = (codec: Codec): { readonly shape: ValueShape; readonly schema: JsonObject } => {
  const rule = structured(codec.schema)
  return {
    schema: rule.schema,
    shape: rule.wrapped
      ? {
          wrapped: true,
          encode: (value) => Effect.map(codec.encode(value), (json) => wrap(rule, json)),
          decode: (content) => codec.decode(unwrap(rule, content))
        }
      : { wrapped: false, encode: codec.encode, decode: codec.decode }
  }
}

const headersOf = (schema: JsonObject, faults: Array<ShapeFault>): ReadonlyArray<ParamHeader> => {
  const headers = paramHeaders(schema)
  if (headers._tag === "Success") return headers.success
  for (const message of headers.failure) faults.push({ _tag: "InvalidHeaderAnnotation", message })
  return []
}

const argumentNamesOf = (schema: JsonObject): ReadonlySet<string> | undefined => {
  const properties = own(schema, "properties")
  const closed = ["anyOf", "oneOf", "allOf", "if", "patternProperties", "additionalProperties", "$ref"]
  return isJsonObject(properties) && closed.every((key) => !Object.hasOwn(schema, key))
    ? new Set(Object.keys(properties))
    : undefined
}

/**
 * The shape of a definition.
 *
 * Never throws: what cannot be published is in `faults`.
 */
export const toolShape = (definition: {
  readonly input?: unknown
  readonly output?: unknown
  readonly errors?: unknown
}): ToolShape => {
  const faults: Array<ShapeFault> = []
  const input = inputCodec(definition.input)
  faults.push(...unrepresentable("input", input))
  const inputSchema = objectRoot(input.schema)
  if (inputSchema === undefined && input.findings.length === 0) {
    faults.push({ _tag: "NotPromotable", message: "the input of a tool is an object with a member for each argument" })
  }
  const output = definition.output === undefined ? undefined : outputCodec(definition.output)
  if (output !== undefined) faults.push(...unrepresentable("output", output))
  const value = output === undefined ? undefined : outputShape(output)
  const schemas = errorSchemas(definition.errors as ErrorsDef | undefined)
  const errors = schemas.length === 0 ? undefined : errorShape(schemas)
  if (errors !== undefined) faults.push(...errors.faults)
  return {
    inputSchema: inputSchema ?? { type: "object" },
    outputSchema:
      value === undefined || errors === undefined ? value?.schema : anyOfObjects([value.schema, ...errors.printed]),
    input,
    argumentNames: argumentNamesOf(input.schema),
    output: value?.shape,
    errors: errors?.shape,
    headers: headersOf(inputSchema ?? {}, faults),
    faults,
    printed: { value: output?.schema, errors: errors?.printed ?? [] }
  }
}

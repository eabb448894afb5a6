/**
 * A schema of an endpoint as it works on the wire: its printed JSON Schema, decoding with every problem named, encoding
 * to JSON. Effect Schemas and Standard Schemas look the same from here on.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import {
  isJsonObject,
  isRecord,
  lean,
  lintSchema,
  pathText,
  printSchema,
  problemOptions,
  refuseSchema,
  schemaProblems,
  standardProblems,
  tooDeep,
  type Json,
  type JsonObject,
  type Misfit,
  type SchemaFinding
} from "../json/index.ts"
import { isStandard, type PureFields, type PureSchema, type Standard } from "./Definition.ts"

/** Both directions of one schema. */
export interface Codec {
  /** What is published; `{}` where it could not be printed, which is a finding. */
  readonly schema: JsonObject
  readonly findings: ReadonlyArray<SchemaFinding>
  readonly decode: (json: unknown) => Effect.Effect<unknown, Misfit>
  readonly encode: (value: unknown) => Effect.Effect<Json, Misfit>
}

/** A value that is there already, which needs no more steps of a fiber. */
const isThere = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Success<A> =>
  Exit.isExit(effect) && Exit.isSuccess(effect)

const misfit = (error: { readonly issue: SchemaIssue.Issue }): Misfit => ({ problems: schemaProblems(error.issue) })

/** A value from outside may nest deeper than it can be read: then it does not fit, and nothing is broken. */
const readable = <A>(value: unknown, decoded: Effect.Effect<A, Misfit>): Effect.Effect<A, Misfit> =>
  Effect.catchDefect(decoded, (defect) => {
    const problem = tooDeep(defect, value)
    return problem === undefined ? Effect.die(defect) : Effect.fail(problem)
  })

/**
 * The codec of an Effect Schema.
 *
 * A plain object is accepted where a class is declared: when encoding fails, the value is made into the class first.
 */
export const effectCodec = (schema: PureSchema, side: "input" | "output"): Codec => {
  try {
    return workingCodec(schema, side)
  } catch (error) {
    return brokenCodec(unprintable(error).findings)
  }
}

const workingCodec = (schema: PureSchema, side: "input" | "output"): Codec => {
  const json = Schema.toCodecJson(schema as Schema.Codec<unknown>)
  const printed = printSchema(schema)
  const decode = Schema.decodeUnknownEffect(json)
  const encode = Schema.encodeUnknownEffect(json) as (value: unknown) => Effect.Effect<Json, Schema.SchemaError>
  const make = (value: unknown) => (schema as Schema.Codec<unknown>).makeEffect(value as never)
  return {
    schema: printed,
    findings: lintSchema(schema, printed, side),
    decode: (value) => {
      const decoded = decode(value)
      if (isThere(decoded)) return decoded
      const explained = Effect.suspend(() => Effect.mapError(decode(value, problemOptions(value)), misfit))
      return readable(
        value,
        Effect.catch(decoded, () => explained)
      )
    },
    encode: (value) => {
      const encoded = encode(value)
      if (isThere(encoded)) return encoded
      return Effect.catch(encoded, (error) =>
        Effect.mapError(
          Effect.flatMap(
            Effect.mapError(make(value), () => error),
            encode
          ),
          misfit
        )
      )
    }
  }
}

const plainJson = (value: unknown): Effect.Effect<Json, Misfit> => {
  try {
    const text = JSON.stringify(value)
    if (text !== undefined) return Effect.succeed(JSON.parse(text))
    return Effect.fail({ problems: ["the value has no JSON form"] })
  } catch (error) {
    return Effect.fail({ problems: [`the value has no JSON form: ${String(error)}`] })
  }
}

const validated = (standard: Standard, value: unknown): Effect.Effect<unknown, Misfit> => {
  const settle = (result: Awaited<ReturnType<Standard["~standard"]["validate"]>>): Effect.Effect<unknown, Misfit> =>
    result.issues === undefined
      ? Effect.succeed(result.value)
      : Effect.fail({ problems: standardProblems(result.issues) })
  return Effect.suspend(() => {
    const result = standard["~standard"].validate(value)
    return result instanceof Promise
      ? Effect.flatMap(
          Effect.promise(() => result),
          settle
        )
      : settle(result)
  })
}

type Printed = Pick<Codec, "schema" | "findings">

/** What is published of a schema that cannot be printed, and why. */
const unprintable = (error: unknown): Printed => {
  const why = error instanceof Error ? error.message : String(error)
  const message = `it cannot be printed as JSON Schema (${why}): use a schema that has a JSON form`
  return { schema: {}, findings: [{ path: "", message }] }
}

/** A codec that only says what is wrong with its schema. */
const brokenCodec = (findings: ReadonlyArray<SchemaFinding>): Codec => {
  const fail = () => Effect.fail({ problems: findings.map(({ message }) => message) })
  return { schema: {}, findings, decode: fail, encode: fail }
}

/** The members of an object schema, where its library shows them as Zod does. */
const membersOf = (standard: Standard): ReadonlyArray<readonly [string, Standard]> => {
  const { shape } = standard as { readonly shape?: unknown }
  return isRecord(shape)
    ? Object.entries(shape).filter((entry): entry is [string, Standard] => isStandard(entry[1]))
    : []
}

/** The members that cannot be printed, each by its own name, or the schema as a whole. */
const unprintableMembers = (standard: Standard, side: "input" | "output", error: unknown): Printed => {
  const findings = membersOf(standard).flatMap(([name, member]) =>
    printStandard(member, side).findings.map(({ message, path }) => ({
      path: path === "" ? name : `${name}.${path}`,
      message
    }))
  )
  return findings.length === 0 ? unprintable(error) : { schema: {}, findings }
}

const printStandard = (standard: Standard, side: "input" | "output"): Printed => {
  try {
    const printed = standard["~standard"].jsonSchema[side]({ target: "draft-2020-12" }) as JsonObject
    const refused = refuseSchema(printed)
    return refused === undefined
      ? { schema: lean(printed), findings: [] }
      : { schema: {}, findings: [{ path: "", message: refused }] }
  } catch (error) {
    return unprintableMembers(standard, side, error)
  }
}

/**
 * The codec of a Standard Schema that is an input: callers send what goes into it, handlers get what comes out.
 */
const standardInputCodec = (standard: Standard): Codec => ({
  ...printStandard(standard, "input"),
  decode: (value) => readable(value, validated(standard, value)),
  encode: plainJson
})

/**
 * The codec of a Standard Schema that is an output: what a handler returns is parsed by it, so members that it does not
 * name stay behind, and the parsed value is sent.
 */
const standardOutputCodec = (standard: Standard): Codec => ({
  ...printStandard(standard, "output"),
  decode: (value) => readable(value, validated(standard, value)),
  encode: (value) => Effect.flatMap(validated(standard, value), plainJson)
})

const nothing: Codec["decode"] = (value) => {
  if (value === undefined) return Effect.succeed({})
  if (!isJsonObject(value)) return Effect.fail({ problems: ["Expected object"] })
  const keys = Object.keys(value)
  return keys.length === 0
    ? Effect.succeed({})
    : Effect.fail({ problems: keys.map((key) => `${pathText([key])}: this tool takes no arguments`) })
}

/** The codec of a tool without input: a closed empty object, enforced. */
const emptyCodec: Codec = {
  schema: { type: "object", additionalProperties: false },
  findings: [],
  decode: nothing,
  encode: () => Effect.succeed({})
}

/** A struct without fields admits any value but null, and so does what Effect prints for it. */
const isEmptyStruct = (input: unknown): boolean =>
  Schema.isSchema(input) &&
  input.ast._tag === "Objects" &&
  input.ast.propertySignatures.length === 0 &&
  input.ast.indexSignatures.length === 0

/** What an author took for a schema, said in words. */
const mistaken = (value: unknown): string | undefined => {
  if (!isRecord(value)) return "it is neither fields nor a schema"
  if (Object.hasOwn(value, "_def")) return "Zod 3 does not print JSON Schema: use Zod 4"
  if (typeof value["type"] === "string") {
    return "a JSON Schema object checks nothing by itself: write fields, an Effect Schema, or a Zod or ArkType schema"
  }
  const stranger = Object.keys(value).find((name) => !Schema.isSchema(value[name]))
  return stranger === undefined
    ? undefined
    : `the field ${JSON.stringify(stranger)} is no Effect Schema: wrap Zod fields in z.object({ … })`
}

const mistakenCodec = (why: string): Codec => brokenCodec([{ path: "", message: why }])

/** The codec of whatever an author wrote for `input`. */
export const inputCodec = (input: unknown): Codec => {
  if (input === undefined || isEmptyStruct(input)) return emptyCodec
  if (Schema.isSchema(input)) return effectCodec(input as unknown as PureSchema, "input")
  if (isStandard(input)) return standardInputCodec(input)
  const why = mistaken(input)
  if (why !== undefined) return mistakenCodec(why)
  const fields = input as PureFields
  return Object.keys(fields).length === 0 ? emptyCodec : effectCodec(Schema.Struct(fields), "input")
}

/** The codec of whatever an author wrote for `output`. */
export const outputCodec = (output: unknown): Codec => {
  if (Schema.isSchema(output)) return effectCodec(output as unknown as PureSchema, "output")
  if (isStandard(output)) return standardOutputCodec(output)
  return mistakenCodec(mistaken(output) ?? "an output is one schema, not fields: wrap them in Schema.Struct")
}

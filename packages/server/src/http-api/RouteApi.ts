/**
 * The operations of a server that have routes, as an Effect `HttpApi`: what clients are made of, and documents.
 *
 * Values travel by the codecs of their endpoints, so a client takes and gives what `session.call` does.
 */
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import { effectCodec, type AnyEndpoint, type PureSchema, type ValueShape } from "@treadle/protocol/endpoint"
import type { Json, Misfit } from "@treadle/protocol/json"
import type { RoutedEntry } from "./RouteChecks.ts"
import { segmentFault, type Member, type RoutePlan } from "./RoutePlan.ts"
import { errorStatuses, problemTitles, problemType, successStatus } from "./RouteReply.ts"
import { toTexts, type TextForm } from "./TextForm.ts"

/**
 * What a route says where it does not say a value or a declared error (RFC 9457): a client of the api fails with it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export class RouteProblem extends Schema.Error<RouteProblem>("RouteProblem")({
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.optionalKey(Schema.String),
  /** Everything that is wrong with the arguments. */
  problems: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What is found in the log of the server. */
  reference: Schema.optionalKey(Schema.String)
}) {
  readonly _tag = "RouteProblem"

  override get message(): string {
    return [this.detail ?? this.title, ...(this.problems ?? [])].join("; ")
  }
}

const issue = (value: unknown, misfit: Misfit): SchemaIssue.Issue =>
  new SchemaIssue.InvalidValue({ message: misfit.problems.join("; ") }, value)

/** The values of one codec, whose JSON is what travels. */
const valued = ({ decode, encode }: Pick<ValueShape, "decode" | "encode">): Schema.Codec<unknown, Json> =>
  Schema.Json.pipe(
    Schema.decodeTo(Schema.Unknown, {
      decode: SchemaGetter.transformEffect((json: Json) => Effect.mapError(decode(json), (told) => issue(json, told))),
      encode: SchemaGetter.transformEffect((value: unknown) =>
        Effect.mapError(encode(value), (told) => issue(value, told))
      )
    })
  )

const passing: Pick<ValueShape, "decode" | "encode"> = {
  decode: Effect.succeed,
  encode: (value) => Effect.succeed(value as Json)
}

/** The codec of one member, where the fields of the input tell. */
const memberCodec = ({ def }: AnyEndpoint, name: string): Pick<ValueShape, "decode" | "encode"> => {
  const fields: unknown = Schema.isSchema(def.input) ? (def.input as { readonly fields?: unknown }).fields : def.input
  const field: unknown =
    typeof fields === "object" && fields !== null && Object.hasOwn(fields, name)
      ? (fields as { readonly [name: string]: unknown })[name]
      : undefined
  return Schema.isSchema(field) ? effectCodec(field as unknown as PureSchema, "input") : passing
}

const Texts = Schema.Union([Schema.String, Schema.Array(Schema.String)])

/** A member that travels as text; what a path may not hold is never sent. */
const texted = (
  endpoint: AnyEndpoint,
  name: string,
  { form, inPath, member }: { readonly form: TextForm; readonly inPath: boolean; readonly member: Member }
) => {
  const { encode } = memberCodec(endpoint, name)
  const unsaid = (texts: string | ReadonlyArray<string>): string | undefined => {
    if (inPath) return segmentFault(String(texts))
    if (/\p{Surrogate}/u.test(String(texts))) return "holds half of a character, which no query can"
    return texts.length === 0 && form.item !== undefined && !member.required
      ? "must not be an empty list, which a query does not tell from none; leave it out"
      : undefined
  }
  return Texts.pipe(
    Schema.decodeTo(Schema.Unknown, {
      decode: SchemaGetter.passthrough({ strict: false }),
      encode: SchemaGetter.transformEffect((value: unknown) =>
        Effect.flatMap(
          Effect.mapError(encode(value), (told) => issue(value, told)),
          (json) => {
            const texts = toTexts(json)
            const fault = unsaid(texts)
            return fault === undefined ? Effect.succeed(texts) : Effect.fail(issue(value, { problems: [fault] }))
          }
        )
      )
    })
  )
}

const fieldsOf = (
  placed: RoutePlan["path"],
  make: (name: string, place: { readonly form: TextForm; readonly member: Member }) => Schema.Top
): Schema.Struct.Fields =>
  Object.fromEntries(
    [...placed].map(([name, place]) => {
      const field = make(name, place)
      return [name, place.member.required ? field : Schema.optionalKey(field)]
    })
  )

/** The body of a request: the members that are not in the path. */
const payloadOf = (endpoint: AnyEndpoint, { others, open }: RoutePlan): Schema.Top => {
  const fields = fieldsOf(others, (name) => valued(memberCodec(endpoint, name)))
  return open
    ? (Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Json)]) as Schema.Top)
    : Schema.Struct(fields)
}

const successes = (endpoint: AnyEndpoint): ReadonlyArray<Schema.Top> => {
  const { output } = endpoint.shape
  if (output === undefined) {
    return [
      HttpApiSchema.NoContent,
      Schema.String.pipe(HttpApiSchema.asText()),
      Schema.Struct({ content: Schema.Array(Schema.Json) })
    ]
  }
  const wrap = (json: Json): Json => (output.wrapped ? { value: json } : json)
  const unwrapped = (json: Json): Json => (output.wrapped ? ((json as { readonly value: Json }).value ?? null) : json)
  const value = valued({
    decode: (json) => output.decode(wrap(json as Json)),
    encode: (value) => Effect.map(output.encode(value), unwrapped)
  })
  return [value.pipe(HttpApiSchema.status(successStatus(endpoint)))]
}

const declared = (endpoint: AnyEndpoint): ReadonlyArray<Schema.Top> => {
  const { errors } = endpoint.shape
  if (errors === undefined) return []
  const statuses = new Set(errorStatuses(endpoint).map(({ status }) => status))
  return [...statuses].map((status) => valued(errors).pipe(HttpApiSchema.status(status)))
}

const problems: ReadonlyArray<Schema.Top> = Object.keys(problemTitles).map((status) =>
  RouteProblem.pipe(HttpApiSchema.asJson({ contentType: problemType }), HttpApiSchema.status(Number(status)))
)

/** Arguments that would make the path that of another operation, which stands there in letters. */
type Taken = ReadonlyArray<readonly [field: string, text: string]>

const takenBy = ({ plan: { template } }: RoutedEntry, others: ReadonlyArray<RoutedEntry>): ReadonlyArray<Taken> =>
  others.flatMap(({ plan: { template: other } }): ReadonlyArray<Taken> => {
    if (other.verb !== template.verb || other.segments.length !== template.segments.length) return []
    const taken: Array<Taken[number]> = []
    for (const [at, segment] of template.segments.entries()) {
      const theirs = other.segments[at]
      if (theirs === undefined || "field" in theirs) continue
      if ("field" in segment) taken.push([segment.field, theirs.text])
      else if (segment.text.toLowerCase() !== theirs.text.toLowerCase()) return []
    }
    return taken.length === 0 ? [] : [taken]
  })

/** The parameters of a path; what would lead to another operation is never sent. */
const paramsSchema = (fields: Schema.Struct.Fields, taken: ReadonlyArray<Taken>): Schema.Top => {
  const struct = Schema.Struct(fields)
  if (taken.length === 0) return struct
  const leads = (values: { readonly [name: string]: unknown }): boolean =>
    taken.some((texts) => texts.every(([field, text]) => String(values[field]).toLowerCase() === text.toLowerCase()))
  return struct.check(
    Schema.makeFilter((values) =>
      leads(values as { readonly [name: string]: unknown }) ? "this path is that of another operation" : undefined
    )
  )
}

const endpointOf = (one: RoutedEntry, all: ReadonlyArray<RoutedEntry>): HttpApiEndpoint.Top => {
  const {
    entry: { endpoint },
    plan
  } = one
  const { others, path, rest, template } = plan
  const text = (inPath: boolean) => (name: string, place: { readonly form: TextForm; readonly member: Member }) =>
    texted(endpoint, name, { ...place, inPath })
  const made = HttpApiEndpoint.make(template.verb)(endpoint.name, template.path, {
    ...(path.size === 0 ? {} : { params: paramsSchema(paramsOf(path, text(true)), takenBy(one, all)) }),
    ...(rest === "query" && others.size > 0 ? { query: fieldsOf(others, text(false)) } : {}),
    ...(rest === "body" && (others.size > 0 || plan.open) ? { payload: payloadOf(endpoint, plan) } : {}),
    success: successes(endpoint),
    error: [...declared(endpoint), ...problems]
  } as never) as unknown as HttpApiEndpoint.Top
  const { description, title } = endpoint.about
  const said = made.annotate(OpenApi.Description, description)
  return (title === undefined ? said : said.annotate(OpenApi.Summary, title)) as HttpApiEndpoint.Top
}

/** The path always has its members, whatever the input says of leaving them out. */
const paramsOf = (
  path: RoutePlan["path"],
  make: (name: string, place: { readonly form: TextForm; readonly member: Member }) => Schema.Top
): Schema.Struct.Fields => Object.fromEntries([...path].map(([name, place]) => [name, make(name, place)]))

/** The groups of an api: operations whose paths begin alike, below the prefix. */
export const groupNameOf = ({ template }: RoutePlan, prefix: string): string => {
  const below = template.segments.slice(prefix === "" ? 0 : prefix.split("/").length - 1)
  const [first] = below
  return first !== undefined && "text" in first ? first.text : "operations"
}

/** @param document what OpenAPI says of the api, made when it is asked for */
export const routeApi = (
  name: string,
  routed: ReadonlyArray<RoutedEntry>,
  prefix: string,
  document: () => object
): HttpApi.Top => {
  const groups = new Map<string, Array<RoutedEntry>>()
  for (const one of routed) {
    const group = groupNameOf(one.plan, prefix)
    groups.set(group, [...(groups.get(group) ?? []), one])
  }
  const empty = HttpApi.make(name) as unknown as HttpApi.Top
  const api = [...groups].reduce(
    (all, [group, members]) =>
      all.add(
        members.reduce(
          (made, one) => made.add(endpointOf(one, routed)) as HttpApiGroup.Top,
          HttpApiGroup.make(group, { topLevel: true }) as unknown as HttpApiGroup.Top
        )
      ) as HttpApi.Top,
    empty
  )
  return api.annotate(OpenApi.Transform, () => document() as Record<string, unknown>) as HttpApi.Top
}

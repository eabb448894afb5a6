/**
 * The arguments of a promoted operation: which there are, as JSON, and into which part of the request each goes. Pure.
 */
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpMethod from "effect/http/HttpMethod"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { PureFields } from "@treadle/protocol/endpoint"
import type { Obstacle } from "./ApiOperation.ts"

/** The parts of a request, as endpoints call them. */
export type Part = "params" | "query" | "headers" | "payload"

/** What each part is called in a sentence. */
const words: Readonly<Record<Part, string>> = {
  params: "path parameter",
  query: "query parameter",
  headers: "header",
  payload: "field of the payload"
}

interface Fields {
  readonly [name: PropertyKey]: Schema.Top
}

/** Fields as Effect's own type has them. */
const struct = (fields: Fields): Schema.Top => Schema.Struct(fields)

/** A schema whose values travel in one part. */
export interface PartTable {
  readonly part: Part
  readonly names: ReadonlyArray<string>
  /** Encodes what the part holds, from the arguments that belong to it. */
  readonly codec: Schema.Top
  /** Whether the one argument is the part itself, and not a field of it. */
  readonly whole: boolean
}

export interface ArgumentTable {
  readonly fields: PureFields
  readonly parts: ReadonlyArray<PartTable>
  readonly obstacles: ReadonlyArray<Obstacle>
}

/** The payload of an endpoint that is sent as JSON in the body, or in the query where there is no body. */
export const payloadOf = ({ method, payload }: HttpApiEndpoint.Top) =>
  HttpMethod.hasBody(method)
    ? [...payload.values()].find(({ encoding }) => encoding._tag === "Json")
    : [...payload.values()][0]

/** The schema inside the codec that an endpoint has made of it. */
const inside = (schema: Schema.Top): Schema.Top => {
  const inner = (schema as { readonly schema?: unknown }).schema
  return Schema.isSchema(inner) ? (inner as Schema.Top) : schema
}

const fieldsOf = (schema: Schema.Top): Fields | undefined => {
  const { fields } = schema as { readonly fields?: Fields }
  return typeof fields === "object" ? fields : undefined
}

const schemaOf = (ast: SchemaAST.AST): Schema.Top => Schema.make<Schema.Top>(ast)

const annotated = (schema: Schema.Top, { annotations }: SchemaAST.AST): Schema.Top =>
  annotations === undefined ? schema : schema.annotate(annotations)

/** JSON has finite numbers only, whatever text may say. */
const finite = (schema: Schema.Top): Schema.Top => {
  const { ast } = schema
  if (ast.checks !== undefined) return schema
  switch (ast._tag) {
    case "Number":
      return annotated(Schema.Finite, ast)
    case "Union":
      return annotated(Schema.Union(ast.types.map((type) => finite(schemaOf(type)))), ast)
    case "Arrays": {
      const [item] = ast.rest
      return ast.elements.length > 0 || item === undefined || ast.rest.length > 1
        ? schema
        : annotated(Schema.Array(finite(schemaOf(item))), ast)
    }
    default:
      return schema
  }
}

/** A member that may be left out is left out: nothing else stands for it in JSON. */
const withoutUndefined = (schema: Schema.Top): Schema.Top => {
  const { ast } = schema
  if (ast._tag !== "Union") return schema
  const types = ast.types.filter((type) => type._tag !== "Undefined").map(schemaOf)
  if (types.length === ast.types.length) return schema
  const [only = Schema.Never] = types
  return annotated(types.length === 1 ? only : Schema.Union(types), ast)
}

/**
 * The argument of a field: as JSON where it travels as text, and to be left out where the request may be without it.
 */
const argument = (field: Schema.Top, asText: boolean): Schema.Top => {
  const mayMiss = SchemaAST.isOptional(field.ast) || SchemaAST.isOptional(SchemaAST.toEncoded(field.ast))
  const kept: Schema.Top = asText ? finite(Schema.toType(field)) : field
  if (!mayMiss) return kept
  const schema = withoutUndefined(kept)
  return SchemaAST.isOptional(schema.ast) ? schema : Schema.optionalKey(schema)
}

interface Described {
  readonly part: Part
  readonly fields: Fields
  readonly codec: Schema.Top
  readonly whole: boolean
}

const textPart = (part: Part, codec: Schema.Top | undefined): ReadonlyArray<Described | Obstacle> => {
  if (codec === undefined) return []
  const fields = fieldsOf(inside(codec))
  return fields === undefined
    ? [{ message: `its ${part} is no struct`, cure: `Describe its ${part} as fields` }]
    : [{ part, fields, codec, whole: false }]
}

const pick = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])))

const headerPart = (
  { headers }: HttpApiEndpoint.Top,
  chosen: ReadonlyArray<string>
): ReadonlyArray<Described | Obstacle> => {
  const fields = headers === undefined ? {} : (fieldsOf(inside(headers)) ?? {})
  const strangers = chosen.filter((name) => !Object.hasOwn(fields, name))
  const known = Object.keys(fields).map((name) => JSON.stringify(name))
  const picked = pick(fields, chosen)
  return [
    ...strangers.map((name) => ({
      message: `its headers do not include ${JSON.stringify(name)}`,
      cure: known.length === 0 ? "It declares none: leave headers out" : `Choose from ${known.join(", ")}`
    })),
    ...(Object.keys(picked).length === 0
      ? []
      : [{ part: "headers", fields: picked, codec: Schema.toCodecStringTree(struct(picked)), whole: false } as const])
  ]
}

const payloadPart = (endpoint: HttpApiEndpoint.Top, nest: boolean): ReadonlyArray<Described> => {
  const declared = payloadOf(endpoint)
  if (declared === undefined) return []
  const { schemas } = declared
  const [only] = schemas
  const inBody = HttpMethod.hasBody(endpoint.method)
  const fields = nest || schemas.length > 1 ? undefined : fieldsOf(inside(only))
  if (fields === undefined) {
    const schema = schemas.length > 1 ? Schema.Union(schemas) : only
    return [{ part: "payload", fields: { payload: inside(schema) }, codec: schema, whole: true }]
  }
  const body = struct(fields)
  const asJson = endpoint.disableCodecs ? body : Schema.toCodecJson(body)
  return [{ part: "payload", fields, codec: inBody ? asJson : only, whole: false }]
}

/** Names that stand for more than one argument. */
const collisions = (parts: ReadonlyArray<Described>): ReadonlyArray<Obstacle> => {
  const places = new Map<string, Array<string>>()
  for (const { fields, part } of parts) {
    for (const name of Object.keys(fields)) places.set(name, [...(places.get(name) ?? []), words[part]])
  }
  return [...places]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => ({
      message: `${JSON.stringify(name)} would be one argument for ${all.length} things: a ${all.join(" and a ")}`,
      cure: "Rename all but one, or say nestPayload: true"
    }))
}

const isObstacle = (one: Described | Obstacle): one is Obstacle => "cure" in one

/** The arguments of an endpoint. @param chosen the headers that are arguments */
export const argumentTable = (
  endpoint: HttpApiEndpoint.Top,
  chosen: ReadonlyArray<string>,
  nest: boolean
): ArgumentTable => {
  const all = [
    ...textPart("params", endpoint.params),
    ...textPart("query", endpoint.query),
    ...headerPart(endpoint, chosen),
    ...payloadPart(endpoint, nest)
  ]
  const parts = all.filter((one): one is Described => !isObstacle(one))
  const inBody = HttpMethod.hasBody(endpoint.method)
  const entries = parts.flatMap(({ fields, part }) =>
    Object.entries(fields).map(([name, field]) => [name, argument(field, part !== "payload" || !inBody)] as const)
  )
  return {
    fields: Object.fromEntries(entries) as unknown as PureFields,
    parts: parts.map(({ codec, fields, part, whole }) => ({ part, codec, whole, names: Object.keys(fields) })),
    obstacles: [...all.filter(isObstacle), ...collisions(parts)]
  }
}

/**
 * What OpenAPI says of routes: the JSON Schemas that are published for tools, in the places where HTTP has them. Pure.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import { isJsonObject, type Json, type JsonObject } from "@treadle/protocol/json"
import type { Implementation } from "@treadle/protocol/schema"
import type { Authentication } from "../Authentication.ts"
import { groupNameOf } from "./RouteApi.ts"
import type { RoutedEntry } from "./RouteChecks.ts"
import type { RoutePlan } from "./RoutePlan.ts"
import { errorStatuses, problemTitles, problemType, successStatus, type ProblemStatus } from "./RouteReply.ts"

/** What a document is made of. */
export interface DocumentParts {
  readonly server: Implementation
  readonly instructions: string | undefined
  readonly routed: ReadonlyArray<RoutedEntry>
  readonly prefix: string
  readonly auth: Authentication | undefined
  /** The path at which the document is read; a client of the api itself reads it nowhere. */
  readonly at?: string | undefined
}

type Mutable = Record<string, Json>

/** The shared schemas of a document. Two of one name that differ keep apart. */
class Components {
  readonly schemas: Mutable = {}

  /** A schema whose own definitions are shared; `owner` is who it belongs to. */
  taken(schema: JsonObject, owner: string): JsonObject {
    const { $defs, $schema: _, definitions, ...rest } = schema
    const tables = [$defs, definitions].filter(isJsonObject)
    const names = new Map(
      tables.flatMap((table) => Object.keys(table)).map((name) => [name, this.#nameOf(name, tables, owner)])
    )
    for (const table of tables) {
      for (const [name, definition] of Object.entries(table)) {
        this.schemas[names.get(name) ?? name] = moved(definition, names)
      }
    }
    return moved(rest, names) as JsonObject
  }

  #nameOf(name: string, tables: ReadonlyArray<JsonObject>, owner: string): string {
    const safe = name.replaceAll(/[^A-Za-z0-9._-]/g, "_")
    const definition = tables.map((table) => table[name]).find((one) => one !== undefined) ?? {}
    const known = this.schemas[safe]
    const own = new Map(
      tables.flatMap((table) => Object.keys(table)).map((one) => [one, one.replaceAll(/[^A-Za-z0-9._-]/g, "_")])
    )
    const same = known === undefined || JSON.stringify(known) === JSON.stringify(moved(definition, own))
    return same ? safe : `${owner}.${safe}`
  }
}

const referred = /^#\/(?:\$defs|definitions)\/(.+)$/

/** The schema with its references led to where the shared ones are. */
const moved = (schema: Json, names: ReadonlyMap<string, string>): Json => {
  if (Array.isArray(schema)) return schema.map((one) => moved(one, names))
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const name = key === "$ref" && typeof value === "string" ? referred.exec(value)?.[1] : undefined
      return [key, name === undefined ? moved(value, names) : `#/components/schemas/${names.get(name) ?? name}`]
    })
  )
}

const text = (schema: Json, key: string): Mutable => {
  const said = isJsonObject(schema) ? schema[key] : undefined
  return typeof said === "string" ? { [key]: said } : {}
}

const parameters = ({ others, path, rest }: RoutePlan, take: (schema: Json) => Json): ReadonlyArray<Json> => {
  const parameter =
    (place: "path" | "query") =>
    ([name, { member }]: readonly [
      string,
      { readonly member: { readonly schema: Json; readonly required: boolean } }
    ]): Json => ({
      name,
      in: place,
      required: place === "path" || member.required,
      ...text(member.schema, "description"),
      schema: take(member.schema)
    })
  return [...[...path].map(parameter("path")), ...(rest === "query" ? [...others].map(parameter("query")) : [])]
}

/** The input without the members that are in the path. */
const bodySchema = (inputSchema: JsonObject, { path }: RoutePlan): JsonObject => {
  const without = (schema: Json): Json => {
    if (!isJsonObject(schema)) return schema
    const { properties, required } = schema
    const kept = Array.isArray(required) ? required.filter((name) => !path.has(String(name))) : []
    const forms = ["anyOf", "oneOf", "allOf"].flatMap((key) => {
      const all = schema[key]
      return Array.isArray(all) ? [[key, all.map(without)] as const] : []
    })
    const { required: _, ...rest } = schema
    return {
      ...rest,
      ...(isJsonObject(properties)
        ? { properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !path.has(name))) }
        : {}),
      ...(kept.length === 0 ? {} : { required: kept }),
      ...Object.fromEntries(forms)
    }
  }
  return without(inputSchema) as JsonObject
}

const content = (schema: Json, type = "application/json"): Json => ({ [type]: { schema } })

const successResponses = (endpoint: AnyEndpoint, take: (schema: JsonObject) => Json): Mutable => {
  const { value } = endpoint.shape.printed
  if (value !== undefined) {
    return { [successStatus(endpoint)]: { description: "What the operation gives", content: content(take(value)) } }
  }
  const blocks = {
    type: "object",
    properties: { content: { type: "array", items: { type: "object" } } },
    required: ["content"]
  }
  return {
    200: {
      description: "What the operation says",
      content: { ...(content({ type: "string" }, "text/plain") as object), ...(content(blocks) as object) }
    },
    204: { description: "The operation gives nothing" }
  }
}

const problemReference = { $ref: "#/components/schemas/Problem" }

/** Statuses of requests that any operation may answer with a problem. */
const anyProblems: ReadonlyArray<ProblemStatus> = [400, 404, 422, 429, 500, 503]

const problemResponses = (plan: RoutePlan, auth: Authentication | undefined): Mutable => {
  const statuses: ReadonlyArray<ProblemStatus> = [
    ...anyProblems,
    ...(auth === undefined ? [] : ([401, 403] as const)),
    ...(plan.rest === "body" ? ([413, 415] as const) : [])
  ]
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: problemTitles[status], content: content(problemReference, problemType) }
    ])
  )
}

const errorResponses = (endpoint: AnyEndpoint, take: (schema: JsonObject) => Json): Mutable => {
  const statuses = errorStatuses(endpoint)
  const byStatus = new Map<number, Array<Json>>()
  endpoint.shape.printed.errors.forEach((schema, at) => {
    const { status = 422 } = statuses[at] ?? {}
    byStatus.set(status, [...(byStatus.get(status) ?? []), take(schema)])
  })
  return Object.fromEntries(
    [...byStatus].map(([status, schemas]) => [
      status,
      {
        description: statuses
          .flatMap((one) => (one.status === status && one.tag !== undefined ? [one.tag] : []))
          .join(", "),
        content: content(schemas.length === 1 ? (schemas[0] ?? {}) : { anyOf: schemas })
      }
    ])
  )
}

/** Responses of one status are one response with several contents. */
const merged = (left: Mutable, right: Mutable): Mutable => {
  const both = { ...left }
  for (const [status, response] of Object.entries(right)) {
    const known = both[status]
    both[status] =
      isJsonObject(known) && isJsonObject(response)
        ? {
            description: `${String(known["description"])}, or: ${String(response["description"])}`,
            content: { ...(known["content"] as JsonObject), ...(response["content"] as JsonObject) }
          }
        : response
  }
  return both
}

const operationOf = (
  { entry: { endpoint, settings }, plan }: RoutedEntry,
  components: Components,
  { auth, prefix }: DocumentParts
): JsonObject => {
  const { about, name, shape } = endpoint
  const take = (schema: JsonObject): JsonObject => components.taken(schema, name)
  const inside = (schema: Json): Json => {
    const { $defs, definitions } = shape.inputSchema
    return isJsonObject(schema)
      ? take({
          ...schema,
          ...($defs === undefined ? {} : { $defs }),
          ...(definitions === undefined ? {} : { definitions })
        })
      : schema
  }
  const hasBody = plan.rest === "body" && (plan.others.size > 0 || plan.open)
  const required = [...plan.others.values()].some(({ member }) => member.required)
  return {
    operationId: name,
    tags: [groupNameOf(plan, prefix)],
    summary: about.title ?? about.description,
    description: about.description,
    parameters: parameters(plan, inside),
    ...(hasBody ? { requestBody: { required, content: content(take(bodySchema(shape.inputSchema, plan))) } } : {}),
    responses: merged(
      merged(successResponses(endpoint, take), errorResponses(endpoint, take)),
      problemResponses(plan, auth)
    ),
    ...(auth === undefined ? {} : { security: [{ bearer: [...(settings.scopes ?? [])] }] })
  }
}

const problemSchema: Json = {
  type: "object",
  properties: {
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    problems: { type: "array", items: { type: "string" } },
    reference: { type: "string" }
  },
  required: ["title", "status"]
}

/**
 * Where the routes are, as seen from where the document is read: a relative address leads there behind any mount, proxy or
 * other name of the server.
 */
const serverOf = (at: string): string => {
  const up = at.split("/").length - 2
  return up === 0 ? "." : Array.from({ length: up }, () => "..").join("/")
}

/** The document. */
export const routeDocument = (parts: DocumentParts): JsonObject => {
  const { at, auth, instructions, prefix, routed, server } = parts
  const components = new Components()
  components.schemas["Problem"] = problemSchema
  const paths: Record<string, Mutable> = {}
  for (const one of routed) {
    const { segments, verb } = one.plan.template
    const path = `/${segments.map((part) => ("text" in part ? part.text : `{${part.field}}`)).join("/")}`
    const verbs = (paths[path] ??= {})
    verbs[verb.toLowerCase()] = operationOf(one, components, parts)
  }
  return {
    openapi: "3.1.0",
    info: {
      title: server.title ?? server.name,
      version: server.version,
      ...(instructions === undefined ? {} : { description: instructions })
    },
    ...(at === undefined ? {} : { servers: [{ url: serverOf(at) }] }),
    paths,
    components: {
      schemas: components.schemas,
      ...(auth === undefined ? {} : { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } })
    },
    tags: [...new Set(routed.map(({ plan }) => groupNameOf(plan, prefix)))].map((name) => ({ name }))
  }
}

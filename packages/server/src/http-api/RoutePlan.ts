/**
 * How the arguments of an operation travel over HTTP: those that its route names in the path, the rest in the query of a
 * `GET` or `DELETE`, and in the JSON body of any other verb. Pure.
 */
import { isJsonObject, type Json, type JsonObject } from "@treadle/protocol/json"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import * as Result from "effect/Result"
import { parseRoute, type RouteTemplate } from "./RouteTemplate.ts"
import { formOf, fromTexts, pathProblem, queryProblem, resolved, type TextForm } from "./TextForm.ts"

/** One member of an input. */
export interface Member {
  /** What its value is; several where the forms of the input differ. */
  readonly schema: Json
  /** Whether every form of the input demands it. */
  readonly required: boolean
  /** Whether every form of the input has it. */
  readonly everywhere: boolean
}

interface Members {
  readonly named: ReadonlyMap<string, Member>
  /** Whether it takes members of any name. */
  readonly open: boolean
}

const both = (left: Json, right: Json): Json =>
  JSON.stringify(left) === JSON.stringify(right) ? left : { anyOf: [left, right] }

/** Members of an input that has both. */
const joined = (left: Members, right: Members): Members => ({
  named: new Map([
    ...left.named,
    ...[...right.named].map(([name, member]) => {
      const other = left.named.get(name)
      return [name, { ...member, required: member.required || other?.required === true }] as const
    })
  ]),
  open: left.open || right.open
})

/** Members of an input that is either. */
const either = (left: Members, right: Members): Members => {
  const names = new Set([...left.named.keys(), ...right.named.keys()])
  const merged = [...names].map((name): readonly [string, Member] => {
    const [one, other] = [left.named.get(name), right.named.get(name)]
    if (one === undefined || other === undefined) {
      return [name, { schema: (one ?? other)?.schema ?? true, required: false, everywhere: false }]
    }
    return [
      name,
      {
        schema: both(one.schema, other.schema),
        required: one.required && other.required,
        everywhere: one.everywhere && other.everywhere
      }
    ]
  })
  return { named: new Map(merged), open: left.open || right.open }
}

const noMembers: Members = { named: new Map(), open: false }

/** How deep forms of an input are looked into. */
const maxDepth = 8

/** The members of an input, in whatever forms its schema has them. */
const membersOf = (schema: Json, root: JsonObject, depth = 0): Members => {
  const object = resolved(schema, root)
  if (!isJsonObject(object) || depth > maxDepth) return noMembers
  const required = object["required"]
  const rest = object["additionalProperties"]
  const direct: Members = {
    named: new Map(
      Object.entries(isJsonObject(object["properties"]) ? object["properties"] : {}).map(([name, member]) => [
        name,
        { schema: member, required: Array.isArray(required) && required.includes(name), everywhere: true }
      ])
    ),
    open: (rest !== undefined && rest !== false) || object["patternProperties"] !== undefined
  }
  const forms = object["anyOf"] ?? object["oneOf"]
  const parts = object["allOf"]
  const inner = (schemas: ReadonlyArray<Json>) => schemas.map((one) => membersOf(one, root, depth + 1))
  const alternatives = Array.isArray(forms) && forms.length > 0 ? inner(forms).reduce(either) : noMembers
  const together = Array.isArray(parts) ? inner(parts).reduce(joined, noMembers) : noMembers
  return joined(joined(direct, together), alternatives)
}

/** Where arguments travel that are not in the path. */
export type Rest = "query" | "body"

export interface RoutePlan {
  readonly template: RouteTemplate
  readonly rest: Rest
  /** Of the members in the path. */
  readonly path: ReadonlyMap<string, { readonly form: TextForm; readonly member: Member }>
  /** Of the other members, as far as their names are known. */
  readonly others: ReadonlyMap<string, { readonly form: TextForm; readonly member: Member }>
  /** Whether the body may hold members of any name. */
  readonly open: boolean
}

const quoted = (name: string): string => JSON.stringify(name)

const known = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "it has none" : `it has ${names.map(quoted).join(", ")}`

const pathFaults = (plan: RoutePlan, { named }: Members): ReadonlyArray<string> =>
  plan.template.fields.flatMap((name) => {
    const place = plan.path.get(name)
    if (place === undefined) return [`":${name}" is not a field of its input; ${known([...named.keys()])}`]
    if (!place.member.everywhere) return [`":${name}" is not a field of every form of its input; name one that is`]
    const problem = pathProblem(place.form)
    return problem === undefined
      ? []
      : [`":${name}" ${problem}; name a field in the path that is a number, a text or a choice of texts`]
  })

const queryFaults = ({ others, template }: RoutePlan, { open }: Members): ReadonlyArray<string> => {
  const cure = `serve it with POST, whose body says it, or change the field`
  return [
    ...[...others].flatMap(([name, { form }]) => {
      const problem = queryProblem(form)
      return problem === undefined ? [] : [`${quoted(name)} would be in the query and ${problem}; ${cure}`]
    }),
    ...(open ? [`its input takes any name, which the query of a ${template.verb} does not; serve it with POST`] : [])
  ]
}

/**
 * The plan of an endpoint.
 *
 * @returns the plan, or every reason why the route cannot be served; nothing where it has no route
 */
export const routePlan = (
  endpoint: AnyEndpoint,
  prefix: string
): Result.Result<RoutePlan, ReadonlyArray<string>> | undefined => {
  const { http } = endpoint.about
  if (http === undefined) return undefined
  const parsed = parseRoute(String(http), prefix)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const template = parsed.success
  const { inputSchema } = endpoint.shape
  const members = membersOf(inputSchema, inputSchema)
  const placed = [...members.named].map(
    ([name, member]) => [name, { member, form: formOf(member.schema, inputSchema) }] as const
  )
  const plan: RoutePlan = {
    template,
    rest: template.verb === "GET" || template.verb === "DELETE" ? "query" : "body",
    path: new Map(placed.filter(([name]) => template.fields.includes(name))),
    others: new Map(placed.filter(([name]) => !template.fields.includes(name))),
    open: members.open
  }
  const faults = [...pathFaults(plan, members), ...(plan.rest === "query" ? queryFaults(plan, members) : [])]
  return faults.length === 0 ? Result.succeed(plan) : Result.fail(faults)
}

/** Why a text cannot stand in a path: in some client, proxy or file system it would be another path. */
export const segmentFault = (text: string): string | undefined => {
  if (text === "") return "must not be empty, because it is a part of the path"
  if (text === "." || text === "..") return `must not be ${quoted(text)}, because it is a part of the path`
  if (text.includes("\0")) return "must not hold NUL, because it is a part of the path"
  return /\p{Surrogate}/u.test(text) ? "holds half of a character, which no path can" : undefined
}

/** What a request says. */
export interface Said {
  readonly path: { readonly [name: string]: string | undefined }
  readonly query: URLSearchParams
  /** The JSON of its body; nothing, where that is empty. */
  readonly body: unknown
}

type Texts = ReadonlyArray<readonly [string, Json]>

const ofPath = ({ path }: RoutePlan, said: Said): Texts =>
  [...path].map(([name, { form }]) => [name, fromTexts(form, [said.path[name] ?? ""])])

const ofQuery = ({ others }: RoutePlan, { query }: Said): Texts => {
  const absent = [...others].flatMap(([name, { form, member }]): Texts =>
    member.required && form.item !== undefined && !query.has(name) ? [[name, []]] : []
  )
  return [
    ...absent,
    ...[...new Set(query.keys())].map((name): Texts[number] => {
      const texts = query.getAll(name)
      const form = others.get(name)?.form
      const [only = ""] = texts
      return [name, form === undefined ? (texts.length === 1 ? only : texts) : fromTexts(form, texts)]
    })
  ]
}

/** Names that stand in a query more often than they have values. */
const repeated = ({ others }: RoutePlan, { query }: Said): ReadonlyArray<string> =>
  [...others].flatMap(([name, { form }]) => {
    const times = form.item === undefined ? query.getAll(name).length : 1
    return times > 1 ? [`${name}: stands ${times} times in the query, and takes one value; send it once`] : []
  })

/**
 * The arguments of a request, or what is wrong with it. Arguments of the path win: a body or a query that has one of
 * their names is not listened to.
 */
export const argumentsOf = (plan: RoutePlan, said: Said): Result.Result<JsonObject, ReadonlyArray<string>> => {
  const faults = [...plan.path.keys()].flatMap((name) => {
    const fault = segmentFault(said.path[name] ?? "")
    return fault === undefined ? [] : [`${name}: ${fault}`]
  })
  if (plan.rest === "query") faults.push(...repeated(plan, said))
  if (faults.length > 0) return Result.fail(faults)
  const { body = {} } = said
  if (plan.rest === "body" && !isJsonObject(body)) return Result.fail(["the body must be a JSON object of arguments"])
  const rest = plan.rest === "body" ? Object.entries(body as JsonObject) : ofQuery(plan, said)
  return Result.succeed(Object.fromEntries([...rest, ...ofPath(plan, said)]))
}

/**
 * Arguments as a request of HTTP. What an argument says stays in its place: a path argument in its segment, a value of
 * the query under its name.
 */
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Schema from "effect/Schema"
import { schemaProblems } from "@treadle/protocol/json"
import type { HeaderTable } from "../CurrentCall.ts"
import { ToolFailed } from "../ToolError.ts"
import { operationsOf, type ApiOperation } from "./ApiOperation.ts"
import { payloadOf, type ArgumentTable, type PartTable } from "./ArgumentTable.ts"

type Arguments = Readonly<Record<string, unknown>>
type Encoded = Readonly<Record<string, unknown>>

/** Arguments that no request can be made of, in words for the model. */
export const misfit = (tool: string, problems: ReadonlyArray<string>): ToolFailed =>
  new ToolFailed(`Invalid arguments for ${tool}:\n${problems.map((problem) => `- ${problem}`).join("\n")}`)

/** What a path argument must not be: each of these would be another path, or none. */
const pathProblem = (name: string, value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "string") return []
  if (value === "") return [`${name}: must not be empty, because it is a part of a path`]
  if (value === "." || value === "..")
    return [`${name}: must not be ${JSON.stringify(value)}, because it is a part of a path`]
  return /\p{Surrogate}/u.test(value) ? [`${name}: holds half of a character, which no path can`] : []
}

/** What the value of a header must not hold: over HTTP it would be another header, or no request. */
const unheard = /[^\t\u0020-\u007e\u0080-\u00ff]/u

const headerProblem = (name: string, value: unknown): ReadonlyArray<string> =>
  typeof value === "string" && unheard.test(value)
    ? [`${name}: must be one line of Latin letters (ISO 8859-1), because it is the value of a header`]
    : []

const given = (args: Arguments, { names }: PartTable): Arguments =>
  Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])))

/** Where the paths of an api lead to: a path argument may be the name of another operation. */
const signposts = (api: HttpApi.Top): FindMyWay.Router<string> => {
  const router = FindMyWay.make<string>()
  for (const [name, { endpoint }] of operationsOf(api)) {
    try {
      router.on(endpoint.method, endpoint.path as FindMyWay.PathInput, name)
    } catch {
      // Two that share a path: the application says so when it starts.
    }
  }
  return router
}

/** Builds the addresses of one api. */
export const addressesOf = (api: HttpApi.Top) => {
  const builders = HttpApiClient.urlBuilder(api) as unknown as {
    readonly [name: string]: unknown
  }
  return { builders, leads: signposts(api) }
}

export type Addresses = ReturnType<typeof addressesOf>

type PathBuilder = (request: { readonly params: unknown }) => string

const pathBuilder = ({ builders }: Addresses, { endpoint, group }: ApiOperation): PathBuilder => {
  const inGroup = (group.topLevel ? builders : builders[group.identifier]) as { readonly [name: string]: PathBuilder }
  return inGroup[endpoint.identifier] ?? (() => endpoint.path)
}

/** Makes requests of one operation. */
export const operationRequest = (tool: string, operation: ApiOperation, table: ArgumentTable, addresses: Addresses) => {
  const { endpoint, group } = operation
  const own = `${group.identifier}.${endpoint.identifier}`
  const path = pathBuilder(addresses, operation)
  const payload = payloadOf(endpoint)
  const encoders = table.parts.map((part) => ({
    part,
    encode: Schema.encodeUnknownEffect(part.codec as Schema.Codec<unknown>)
  }))

  const encoded = (args: Arguments): Effect.Effect<Partial<Record<PartTable["part"], Encoded>>, ToolFailed> =>
    Effect.mapError(
      Effect.map(
        Effect.forEach(encoders, ({ encode, part }) =>
          Effect.map(encode(part.whole ? args["payload"] : given(args, part)), (value) => [part.part, value] as const)
        ),
        (entries) => Object.fromEntries(entries)
      ),
      ({ issue }) => misfit(tool, schemaProblems(issue))
    )

  const addressed = (args: Arguments, params: Encoded): Effect.Effect<string, ToolFailed> => {
    const problems = Object.entries(params).flatMap(([name, value]) => pathProblem(name, value))
    if (problems.length > 0) return Effect.fail(misfit(tool, problems))
    const part = table.parts.find((one) => one.part === "params")
    const url = path({ params: part === undefined ? undefined : given(args, part) })
    const other = addresses.leads.find(endpoint.method, url)?.handler
    return other === undefined || other === own
      ? Effect.succeed(url)
      : Effect.fail(misfit(tool, [`${url} is the address of another operation`]))
  }

  const headed = (headers: Encoded): Effect.Effect<HeaderTable, ToolFailed> => {
    const problems = Object.entries(headers).flatMap(([name, value]) => headerProblem(name, value))
    return problems.length > 0 ? Effect.fail(misfit(tool, problems)) : Effect.succeed(headers as HeaderTable)
  }

  const withBody = (request: HttpClientRequest.HttpClientRequest, body: unknown) => {
    if (payload === undefined || body === undefined) return request
    return payload.encoding._tag === "Json"
      ? HttpClientRequest.setBody(request, HttpBody.text(JSON.stringify(body), payload.encoding.contentType))
      : HttpClientRequest.appendUrlParams(request, body as Record<string, string>)
  }

  /** @param caller the headers of the caller that go along */
  return (args: Arguments, caller: HeaderTable): Effect.Effect<HttpClientRequest.HttpClientRequest, ToolFailed> =>
    Effect.flatMap(encoded(args), ({ headers = {}, params = {}, payload: body, query = {} }) =>
      Effect.zipWith(headed(headers), addressed(args, params), (own, url) => {
        const request = HttpClientRequest.make(endpoint.method)(`http://localhost${url}`, {
          headers: { ...caller, accept: "application/json", ...own },
          urlParams: query as Record<string, string>
        })
        return withBody(request, body)
      })
    )
}

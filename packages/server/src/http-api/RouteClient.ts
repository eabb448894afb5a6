/**
 * A client of routes, typed by their contracts: no server value is needed, so a page or another service may have it.
 */
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { AnyEndpoint, ArgsOf, FailureOf, OutputOf } from "@treadle/protocol/endpoint"
import { isRecord, own } from "@treadle/protocol/json"
import { McpBuildErrors } from "../McpBuildError.ts"
import { routeApi, type RouteProblem } from "./RouteApi.ts"
import { routedEntries, type RoutedEntry } from "./RouteChecks.ts"

/** Contracts by the names that their functions have. */
export interface RouteContracts {
  readonly [name: string]: AnyEndpoint
}

/**
 * What goes wrong with a call: an error that the contract declares, what else the route says, no answer or none that is
 * understood, and arguments that cannot be sent.
 */
export type RouteFailure<X extends AnyEndpoint> =
  | FailureOf<X>
  | RouteProblem
  | HttpClientError.HttpClientError
  | Schema.SchemaError

/** A function for each contract. */
export type RouteClient<T extends RouteContracts> = {
  readonly [K in keyof T]: {} extends ArgsOf<T[K]>
    ? (args?: ArgsOf<T[K]>) => Effect.Effect<OutputOf<T[K]>, RouteFailure<T[K]>>
    : (args: ArgsOf<T[K]>) => Effect.Effect<OutputOf<T[K]>, RouteFailure<T[K]>>
}

/** Where a client of routes finds its server. */
export interface RouteClientSettings {
  /** Where the server is: `"https://box.example"`. */
  readonly baseUrl: string | URL
  /** What goes before every path, as the server has it. */
  readonly prefix?: `/${string}`
}

type Values = Readonly<Record<string, unknown>>
type Sent = Readonly<Record<string, Values>>

/** An operation without its function. */
const entryOf = (endpoint: AnyEndpoint) => ({
  endpoint,
  handler: () => undefined,
  settings: {},
  promoted: true,
  place: "the contract",
  layers: []
})

/** The arguments in the parts of the request where they travel. */
const requestOf = ({ plan }: RoutedEntry, args: Values): Sent => {
  const part = (inPath: boolean) =>
    Object.fromEntries(
      Object.entries(args).filter(([name, value]) => plan.path.has(name) === inPath && value !== undefined)
    )
  return { params: part(true), [plan.rest === "query" ? "query" : "payload"]: part(false) }
}

/** The text of what was given without a declared output, as it is of a tool. */
const textOf = (value: unknown): string => {
  if (typeof value === "string" || value === undefined) return value ?? ""
  const blocks = own(value, "content")
  return Array.isArray(blocks)
    ? blocks
        .flatMap((block) => (isRecord(block) && typeof block["text"] === "string" ? [block["text"]] : []))
        .join("\n")
    : ""
}

/** Contracts whose operations have routes, or every reason why they cannot be called. */
const routedContracts = (contracts: RouteContracts, prefix: RouteClientSettings["prefix"]) => {
  const endpoints = Object.values(contracts)
  const unrouted = endpoints.filter(({ about }) => about.http === undefined)
  const settings = { openapi: false, ...(prefix === undefined ? {} : { prefix }) } as const
  const found = routedEntries([...new Set(endpoints)].map(entryOf), settings)
  const errors = [
    ...unrouted.map(
      ({ name }) =>
        ({
          _tag: "InvalidRoute",
          tool: name,
          route: "",
          why: 'it has no route; give its contract one: http: "GET /shows/:id"',
          place: "the contract"
        }) as const
    ),
    ...(Result.isFailure(found) ? found.failure : [])
  ]
  return Result.isFailure(found) || errors.length > 0
    ? Result.fail(new McpBuildErrors({ server: "routes", errors }))
    : Result.succeed(found.success)
}

/** Makes the functions. */
export const routeClient = <const T extends RouteContracts>(
  contracts: T,
  { baseUrl, prefix }: RouteClientSettings
): Effect.Effect<RouteClient<T>, McpBuildErrors, HttpClient.HttpClient> =>
  Effect.flatMap(Effect.fromResult(routedContracts(contracts, prefix)), (routed) => {
    const api = routeApi("routes", routed, prefix ?? "", () => ({}))
    const byEndpoint = new Map(routed.map((one) => [one.entry.endpoint, one]))
    return Effect.map(
      HttpApiClient.make(api, { baseUrl }) as Effect.Effect<unknown, never, HttpClient.HttpClient>,
      (client) => {
        const functions = client as { readonly [name: string]: (sent: Sent) => Effect.Effect<unknown, unknown> }
        const callOf = (endpoint: AnyEndpoint) => {
          const one = byEndpoint.get(endpoint)
          const send = functions[endpoint.name]
          return (args: Values = {}) => {
            if (one === undefined || send === undefined) return Effect.die(new Error(`${endpoint.name} has no route`))
            const sent = send(requestOf(one, args))
            return endpoint.shape.output === undefined ? Effect.map(sent, textOf) : sent
          }
        }
        const entries = Object.entries(contracts).map(([name, endpoint]) => [name, callOf(endpoint)] as const)
        return Object.fromEntries(entries) as unknown as RouteClient<T>
      }
    )
  })

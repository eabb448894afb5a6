/**
 * One function, reached in six ways: by its route, by two typed clients of its route, as a tool, by `invoke` of a
 * catalog, and by a typed call. For any endpoint and any arguments all of them give the same value, the same declared error, or
 * the same problems.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Arg, Endpoint } from "@treadle/protocol"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import { isRecord, type Json, type JsonObject } from "@treadle/protocol/json"
import { Mcp } from "@treadle/server"
import { HttpRoutes } from "@treadle/server/http-api"
import { McpClient, McpError } from "../src/index.ts"

type Codec = Schema.Codec<unknown, unknown>
type Values = Readonly<Record<string, unknown>>

class Odd extends Schema.TaggedError<Odd>()("Odd", { seen: Schema.Json }, { httpApiStatus: 409 }) {}
class Even extends Schema.TaggedError<Even>()("Even", { count: Schema.Int }) {}

const Day = Schema.DateFromString.check(
  Schema.isBetweenDate({ minimum: new Date("1970-01-01"), maximum: new Date("2100-01-01") })
)

interface Kind {
  readonly schema: Codec
  /** A default in its JSON form. */
  readonly fallback: unknown
}

const kind = (schema: Schema.Codec<any, any>, fallback: unknown): Kind => ({ schema: schema as Codec, fallback })

/** Text that an address can hold. */
const Text = Schema.String.check(Schema.isPattern(/^[^\p{Surrogate}]*$/u))

/** What a part of a path can be. */
const inPath: ReadonlyArray<Kind> = [
  kind(Schema.String.check(Schema.isPattern(/^[^\0\p{Surrogate}]+$/u), Schema.isMaxLength(20)), "row"),
  kind(Schema.Int, 20),
  kind(Schema.Boolean, false),
  kind(Schema.Literals(["stalls", "a/b", "50%", "true"]), "stalls"),
  kind(Schema.Union([Schema.Literal("all"), Schema.Int]), "all"),
  kind(Schema.Literals([1e21, -1e-7, 0.5]), 1e21),
  kind(Day, "2026-07-28T00:00:00.000Z")
]

/** What a query can say. */
const inQuery: ReadonlyArray<Kind> = [
  ...inPath,
  kind(Text, ""),
  kind(Schema.NullOr(Schema.Finite), null),
  kind(Schema.Array(Text), ["a"]),
  kind(Schema.Array(Schema.Union([Schema.Literal("none"), Schema.Int])), [1]),
  kind(Schema.NumberFromString.check(Schema.isInt()), "7")
]

/** What a body can say. */
const inBody: ReadonlyArray<Kind> = [
  ...inQuery,
  kind(Schema.String, "\ud800"),
  kind(Schema.Json, { any: [1, "x", null] }),
  kind(Schema.NullOr(Schema.String), null),
  kind(Schema.Union([Schema.String, Schema.Int]), 1),
  kind(Schema.Struct({ row: Schema.String, at: Schema.Struct({ seat: Schema.optionalKey(Schema.Int) }) }), {
    row: "A",
    at: {}
  }),
  kind(
    Schema.Union([
      Schema.Struct({ _tag: Schema.Literal("Seat"), seat: Schema.Int }),
      Schema.Struct({ _tag: Schema.Literal("Box"), name: Schema.String })
    ]),
    { _tag: "Seat", seat: 1 }
  ),
  kind(Schema.Array(Schema.Struct({ seat: Schema.Int, vip: Schema.Boolean })), []),
  kind(Schema.Record(Schema.String, Schema.Boolean), {})
]

const uses = ["required", "optional", "defaulted"] as const

interface Field {
  readonly schema: Codec
  readonly value: unknown
  readonly given: boolean
}

const upTo = (most: number) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most })))

/** JSON text has one zero. */
const oneZero = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(oneZero)
  if (isRecord(value) && !(value instanceof Date)) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, oneZero(member)]))
  }
  return Object.is(value, -0) ? 0 : value
}

const used = ({ fallback, schema }: Kind, use: (typeof uses)[number]): Codec => {
  if (use === "optional") return Arg.optional(schema) as unknown as Codec
  return use === "defaulted" ? (Arg.withDefault(schema, fallback as never) as unknown as Codec) : schema
}

const field = (kinds: ReadonlyArray<Kind>, always: boolean): Arbitrary.Arbitrary<Field> =>
  Arbitrary.flatMap(
    Arbitrary.all([upTo(kinds.length - 1), upTo(always ? 0 : 2), Arbitrary.schema(Schema.Boolean)]),
    ([at, use, given]) => {
      const chosen = kinds[at] ?? kind(Schema.Int, 0)
      return Arbitrary.map(Arbitrary.schema(chosen.schema), (value): Field => ({
        schema: used(chosen, uses[use] ?? "required"),
        value: oneZero(value),
        // A query does not tell an empty list from none.
        given: use === 0 || (given && !(Array.isArray(value) && value.length === 0))
      }))
    }
  )

const verbs = ["GET", "DELETE", "POST", "PUT", "PATCH"] as const

const outputs = [
  Schema.Struct({ seen: Schema.Json }),
  Schema.Array(Schema.Json),
  Schema.Union([Schema.Struct({ seen: Schema.Json }), Schema.Null])
] as const

/** One endpoint, its arguments, and whether one of them is spoiled. */
const operation = Arbitrary.flatMap(
  Arbitrary.all([upTo(verbs.length - 1), upTo(outputs.length - 1)]),
  ([at, output]) => {
    const verb = verbs[at] ?? "GET"
    const rest = verb === "GET" || verb === "DELETE" ? inQuery : inBody
    return Arbitrary.map(
      Arbitrary.all([
        Arbitrary.array(field(inPath, true), { minLength: 0, maxLength: 2 }),
        Arbitrary.array(field(rest, false), { minLength: 0, maxLength: 4 }),
        upTo(3)
      ]),
      ([path, others, spoil]) => ({ verb, output, path, others, spoiled: spoil === 0 })
    )
  }
)

type Case = typeof operation extends Arbitrary.Arbitrary<infer A> ? A : never

const named = (prefix: string, fields: ReadonlyArray<Field>) =>
  fields.map((one, at) => [`${prefix}${at}`, one] as const)
const schemasOf = (fields: ReturnType<typeof named>) =>
  Object.fromEntries(fields.map(([name, one]) => [name, one.schema]))
const valuesOf = (fields: ReturnType<typeof named>): Values =>
  Object.fromEntries(fields.flatMap(([name, one]) => (one.given ? [[name, one.value]] : [])))

/** What the function gives: all that it got, or one of its errors. */
const run = (output: number) => (input: Values) => {
  const seen = JSON.parse(JSON.stringify(input)) as JsonObject
  const size = JSON.stringify(seen).length
  if (size % 5 === 0) return Effect.fail(new Odd({ seen }))
  if (size % 5 === 1) return Effect.fail(new Even({ count: size }))
  return Effect.succeed(output === 0 ? { seen } : output === 1 ? [seen, size] : size % 2 === 0 ? null : { seen })
}

const endpointFor = ({ others, output, path, verb }: Case): AnyEndpoint => {
  const params = named("p", path)
  return Endpoint.make("run", {
    description: "Runs",
    input: { ...schemasOf(params), ...schemasOf(named("q", others)) } as {},
    output: (outputs[output] ?? outputs[0]) as never,
    errors: [Odd, Even],
    http: `${verb} /run${params.map(([name]) => `/:${name}`).join("")}` as string
  })
}

type Outcome = { readonly value: Json } | { readonly error: Json } | { readonly problems: ReadonlyArray<string> }

/** The result of a tool, or of the operation that `invoke` has run. */
const ofTool = (result: JsonObject): Outcome => {
  const { content, isError, structuredContent } = result as { readonly [name: string]: any }
  if (isError !== true) return { value: structuredContent }
  if (structuredContent !== undefined) return { error: structuredContent }
  const [first, ...problems] = String(content[0].text).split("\n- ")
  assert.strictEqual(first, "Invalid arguments for run:")
  return { problems }
}

const encodedOf = (endpoint: AnyEndpoint, value: unknown) =>
  Effect.orDie(endpoint.shape.output?.encode(value) ?? Effect.die(0))
const jsonOf = (endpoint: AnyEndpoint, error: unknown) =>
  Effect.orDie(endpoint.shape.errors?.encode(error) ?? Effect.die(0))

/** What a typed way came to, as JSON again. */
const typed = (endpoint: AnyEndpoint, way: Effect.Effect<unknown, unknown>): Effect.Effect<Outcome> =>
  Effect.matchEffect(way, {
    onSuccess: (value) => Effect.map(encodedOf(endpoint, value), (json): Outcome => ({ value: json })),
    onFailure: (error): Effect.Effect<Outcome> => {
      if (error instanceof Odd || error instanceof Even) {
        return Effect.map(jsonOf(endpoint, error), (json) => ({ error: json }))
      }
      return Effect.die(error)
    }
  })

const served = (endpoint: AnyEndpoint, output: number) => {
  const start = Mcp.make({ name: "same", version: "1.0.0" })
  const handler = run(output) as never
  return {
    promoted: start.tool(endpoint, handler) as Mcp<never>,
    unpromoted: start.operation(endpoint, handler).catalog({ allow: () => true }) as unknown as Mcp<never>
  }
}

type Door = (request: Request) => Promise<Response>

const doorOf = (mcp: Mcp<never>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        HttpRouter.toWebHandler(Layer.provide(HttpRoutes.layer(mcp), HttpServer.layerServices), { disableLogger: true })
      ),
      ({ dispose }) => Effect.promise(dispose)
    ),
    ({ handler }) => handler as Door
  )

const through = (door: Door) =>
  Effect.provide(
    Layer.provideMerge(
      FetchHttpClient.layer,
      Layer.succeed(FetchHttpClient.Fetch, ((input: RequestInfo, init?: RequestInit) =>
        door(new Request(input, init))) as typeof fetch)
    )
  )

/** A client of the `HttpApi` of the routes. */
const byApi = (mcp: Mcp<never>, door: Door, request: object) =>
  Effect.gen(function* () {
    const api = Result.getOrThrow(HttpRoutes.api(mcp))
    const client = (yield* HttpApiClient.make(api, { baseUrl: "http://localhost" }) as Effect.Effect<unknown>) as {
      readonly run: (request: object) => Effect.Effect<unknown, unknown>
    }
    return yield* client.run(request)
  }).pipe(through(door))

/** A client of contracts. */
const byContract = (endpoint: AnyEndpoint, door: Door, values: Values) =>
  Effect.flatMap(HttpRoutes.client({ run: endpoint }, { baseUrl: "http://localhost" }), (client) =>
    (client.run as (args: Values) => Effect.Effect<unknown, unknown>)(values)
  ).pipe(through(door))

/** A request as anybody would write it: JSON arguments where the route has them. */
const requestOf = ({ path, verb }: Case, args: JsonObject): Request => {
  const params = named("p", path).map(([name]) => `/${encodeURIComponent(String(args[name]))}`)
  const rest = Object.entries(args).filter(([name]) => !name.startsWith("p"))
  const url = new URL(`http://localhost/run${params.join("")}`)
  if (verb !== "GET" && verb !== "DELETE") {
    return new Request(url, {
      method: verb,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(Object.fromEntries(rest))
    })
  }
  for (const [name, value] of rest) {
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one))
  }
  return new Request(url, { method: verb })
}

/** What a plain client of HTTP gets. */
const byRoute = (endpoint: AnyEndpoint, door: Door, request: Request): Effect.Effect<Outcome> =>
  Effect.promise(async () => {
    const response = await door(request)
    const body: any = await response.json()
    if (response.status === 200) return { value: endpoint.shape.output?.wrapped === true ? { value: body } : body }
    if (response.headers.get("content-type") === "application/problem+json") {
      assert.strictEqual(response.status, 400)
      return { problems: body.problems }
    }
    assert.strictEqual(response.status, body._tag === "Odd" ? 409 : 422)
    return { error: body }
  })

const fits = (schema: Codec, json: Json): boolean =>
  Result.isSuccess(Schema.decodeUnknownResult(Schema.toCodecJson(schema) as Schema.Codec<unknown>)(json))

/** Arguments of which one does not fit, where there is one that text spoils. */
const spoiled = (one: Case, args: JsonObject): JsonObject | undefined => {
  const text = (name: string): Json => (Array.isArray(args[name]) ? ["no\n"] : "no\n")
  const wrong = [...named("p", one.path), ...named("q", one.others)].find(
    ([name, { given, schema }]) => given && !fits(schema, text(name))
  )
  return wrong === undefined ? undefined : { ...args, [wrong[0]]: text(wrong[0]) }
}

describe("one function", () => {
  it.live(
    "gives the same value, the same declared error or the same problems by route, tool, catalog and typed clients",
    () =>
      Effect.gen(function* () {
        const seen = { value: 0, error: 0, problems: 0 }
        const checked = yield* Arbitrary.checkEffect(
          operation,
          (one) =>
            Effect.scoped(
              Effect.gen(function* () {
                const endpoint = endpointFor(one)
                const { promoted, unpromoted } = served(endpoint, one.output)
                assert.deepStrictEqual(HttpRoutes.check(promoted), [])
                const [door, other] = [yield* doorOf(promoted), yield* doorOf(unpromoted)]
                const [tools, catalog] = [yield* McpClient.direct(promoted), yield* McpClient.direct(unpromoted)]
                const values = { ...valuesOf(named("p", one.path)), ...valuesOf(named("q", one.others)) }
                const fitting = (yield* Effect.orDie(endpoint.shape.input.encode(values))) as JsonObject
                const args = one.spoiled ? (spoiled(one, fitting) ?? fitting) : fitting
                const calling = (session: typeof tools, name: string, input: JsonObject) =>
                  Effect.map(Effect.orDie(session.callTool(name, input) as Effect.Effect<any, McpError>), ofTool)

                const tool = yield* calling(tools, "run", args)
                assert.deepStrictEqual(yield* calling(catalog, "invoke", { name: "run", arguments: args }), tool)
                assert.deepStrictEqual(yield* byRoute(endpoint, door, requestOf(one, args)), tool)
                assert.deepStrictEqual(yield* byRoute(endpoint, other, requestOf(one, args)), tool)
                if (!("problems" in tool)) {
                  const call = (
                    tools.call(endpoint as never) as unknown as (input: Values) => Effect.Effect<unknown, unknown>
                  )(values)
                  assert.deepStrictEqual(yield* typed(endpoint, call), tool)
                  const rest = valuesOf(named("q", one.others))
                  const inQuery = one.verb === "GET" || one.verb === "DELETE"
                  const request = {
                    params: valuesOf(named("p", one.path)),
                    ...(inQuery ? { query: rest } : { payload: rest })
                  }
                  assert.deepStrictEqual(yield* typed(endpoint, byApi(promoted, door, request)), tool)
                  assert.deepStrictEqual(yield* typed(endpoint, byContract(endpoint, door, values)), tool)
                }
                seen["problems" in tool ? "problems" : "value" in tool ? "value" : "error"]++
                return true
              })
            ),
          { runs: 80 }
        )
        assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
        for (const [kind, count] of Object.entries(seen)) assert.isAbove(count, 5, kind)
      }),
    60_000
  )
})

/**
 * One operation, over plain HTTP and as a tool: for any endpoint and any input, the same value, the same declared error,
 * or a refusal by both.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { HttpApiTools } from "../../src/http-api/index.ts"
import { empty, said, serving } from "../fixtures/calling.ts"

type Codec = Schema.Codec<unknown>
type Values = Record<string, unknown>

class Odd extends Schema.TaggedError<Odd>()("Odd", { seen: Schema.Json }, { httpApiStatus: 422 }) {}

const Day = Schema.Date.check(
  Schema.isBetweenDate({ minimum: new Date("1970-01-01"), maximum: new Date("2100-01-01") })
)

/** Schemas of text that travels in an address, with finite values. */
const inText: ReadonlyArray<readonly [Codec, Codec]> = [
  [Schema.String, Schema.String],
  [Schema.NumberFromString, Schema.Finite],
  [Schema.Int, Schema.Int],
  [Schema.Boolean, Schema.Boolean],
  [Schema.Literals(["stalls", "a/b", "..", "50%"]), Schema.Literals(["stalls", "a/b", "..", "50%"])],
  [Day, Day]
]

const inBody: ReadonlyArray<readonly [Codec, Codec]> = [
  ...inText,
  [
    Schema.Struct({ row: Schema.String, seats: Schema.Array(Schema.Int) }),
    Schema.Struct({ row: Schema.String, seats: Schema.Array(Schema.Int) })
  ],
  [Schema.NullOr(Schema.String), Schema.NullOr(Schema.String)],
  [Schema.Json, Schema.Json]
]

interface Field {
  readonly schema: Codec
  readonly value: unknown
  readonly given: boolean
}

const upTo = (most: number) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most })))

/** A field that must be there, may be missing, or has a default; `lists` may repeat. */
const field = (kinds: typeof inText, uses: number, lists: boolean): Arbitrary.Arbitrary<Field> =>
  Arbitrary.flatMap(
    Arbitrary.all([upTo(kinds.length - 1), upTo(uses), upTo(lists ? 1 : 0), Arbitrary.schema(Schema.Boolean)]),
    ([at, use, list, given]) => {
      const [schema, values] = kinds[at] ?? [Schema.String, Schema.String]
      const many = list === 1
      const whole = (many ? Schema.Array(schema) : schema) as Codec
      const optional = (use === 2 ? Schema.optional(whole) : Schema.optionalKey(whole)) as unknown as Codec
      return Arbitrary.map(Arbitrary.schema((many ? Schema.Array(values) : values) as Codec), (value): Field => ({
        schema: use === 0 ? whole : optional,
        value,
        given: use === 0 || given
      }))
    }
  )

const some = (kinds: typeof inText, uses: number, lists = false) =>
  Arbitrary.array(field(kinds, uses, lists), { minLength: 0, maxLength: 3 })

const operation = Arbitrary.all([
  some(inText, 0),
  some(inText, 2, true),
  some(inBody, 1),
  Arbitrary.schema(Schema.Literals(["GET", "DELETE", "POST", "PUT"]))
])

const schemas = (prefix: string, fields: ReadonlyArray<Field>) =>
  Object.fromEntries(fields.map(({ schema }, at) => [`${prefix}${at}`, schema]))

const values = (prefix: string, fields: ReadonlyArray<Field>): Values =>
  Object.fromEntries(fields.flatMap(({ given, value }, at) => (given ? [[`${prefix}${at}`, value]] : [])))

type Case = typeof operation extends Arbitrary.Arbitrary<infer A> ? A : never

/** The api of one operation, which gives back what it got, or fails with it. */
const served = ([params, query, body, method]: Case) => {
  const path = `/run${params.map((_, at) => `/:p${at}`).join("")}`
  const takesBody = method !== "GET" && body.length > 0
  const endpoint = HttpApiEndpoint.make(method)(
    "run",
    path as "/run",
    {
      ...(params.length === 0 ? {} : { params: schemas("p", params) }),
      ...(query.length === 0 ? {} : { query: schemas("q", query) }),
      ...(takesBody ? { payload: Schema.Struct(schemas("b", body)) } : {}),
      success: Schema.Json,
      error: Odd
    } as never
  )
  const api = HttpApi.make("any").add(HttpApiGroup.make("any").add(endpoint))
  const run = ({ params = {}, payload = {}, query = {} }: Record<string, object>) => {
    const seen = JSON.parse(JSON.stringify({ ...params, ...query, ...payload }))
    return JSON.stringify(seen).length % 3 === 0 ? Effect.fail(new Odd({ seen })) : Effect.succeed(seen)
  }
  const group = HttpApiBuilder.group(api, "any", (handlers) => handlers.handle("run", run as never))
  const live = HttpApiBuilder.layer(api).pipe(Layer.provide(group as unknown as Layer.Layer<never>))
  const request = {
    params: values("p", params),
    query: values("q", query),
    ...(takesBody ? { payload: values("b", body) } : {})
  }
  return { api, live: live as Layer.Layer<never, never, HttpRouter.HttpRouter>, request }
}

type Outcome = { readonly value: unknown } | { readonly error: unknown } | "refused"

const overHttp = ({ api, live, request }: ReturnType<typeof served>): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const { dispose, handler } = HttpRouter.toWebHandler(Layer.provide(live, HttpServer.layerServices), {
      disableLogger: true
    })
    const fetch: typeof globalThis.fetch = (input, init) => handler(new Request(input, init))
    const client = yield* HttpApiClient.make(api, { baseUrl: "http://localhost" }).pipe(
      Effect.provide(FetchHttpClient.layer)
    )
    const run = client.any.run as unknown as (request: object) => Effect.Effect<unknown, unknown>
    const outcome = yield* Effect.matchCause(Effect.provideService(run(request), FetchHttpClient.Fetch, fetch), {
      onSuccess: (value): Outcome => ({ value }),
      onFailure: ({ reasons: [reason] }): Outcome =>
        reason?._tag === "Fail" && reason.error instanceof Odd ? { error: reason.error.seen } : "refused"
    })
    yield* Effect.promise(dispose)
    return outcome
  })

const asTool = ({ api, live, request }: ReturnType<typeof served>): Effect.Effect<Outcome> =>
  Effect.scoped(
    Effect.gen(function* () {
      const tools = HttpApiTools.make(api, { run: { operation: "any.run", description: "Runs" } })
      const mcp = empty().add(tools.mcp.provide(HttpApiTools.layer(live)))
      const { result } = yield* Effect.orDie(serving(mcp, {}))
      const all = { ...request.params, ...request.query, ...request.payload }
      const args = yield* Effect.orDie(tools.contract.run.shape.input.encode(all))
      const answer = yield* result("run", JSON.parse(JSON.stringify(args)))
      if (answer.isError !== true) return { value: answer.structuredContent.value }
      if (answer.structuredContent !== undefined) return { error: answer.structuredContent.seen }
      assert.match(said(answer), /^Invalid arguments for run:/)
      return "refused"
    })
  )

describe("an operation over plain HTTP and as a tool", () => {
  it.live("gives the same value or the same declared error, or is refused by both", () =>
    Effect.gen(function* () {
      const seen = { value: 0, error: 0, refused: 0 }
      const checked = yield* Arbitrary.checkEffect(
        operation,
        (one) =>
          Effect.gen(function* () {
            const app = served(one)
            const [http, tool] = [yield* overHttp(app), yield* asTool(app)]
            assert.deepStrictEqual(tool, http)
            seen[tool === "refused" ? tool : "value" in tool ? "value" : "error"]++
            return true
          }),
        { runs: 150 }
      )
      assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
      for (const [kind, count] of Object.entries(seen)) assert.isAbove(count, 5, kind)
    })
  )
})

/**
 * The clients of `effect/ai` 4.1 and of Treadle with one server: what comes back of a call, and tools for a model.
 */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { McpClient, McpError } from "@treadle/client"
import { McpToolkit } from "@treadle/client/toolkit"
import { Endpoint } from "@treadle/protocol"
import * as EffectClient from "effect/ai/McpClient"
import * as EffectClientError from "effect/ai/McpClientError"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Schema from "effect/Schema"
import { empty } from "../fixtures/calling.ts"
import { treadleServer, type Fetch } from "../fixtures/effectAi.ts"

class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { left: Schema.Int }) {}

const Booked = Schema.Struct({ booked: Schema.Int })
const book = Endpoint.make("book", {
  description: "Books seats",
  input: { seats: Schema.Int },
  output: Booked,
  errors: SoldOut
})

const mcp = empty()
  .tool(book, ({ seats }) => (seats > 3 ? Effect.fail(new SoldOut({ left: 3 })) : Effect.succeed({ booked: seats })))
  .tool("show.poster", { description: "A poster" }, async () => "a poster")
  .tool("show_poster", { description: "Another poster" }, async () => "another poster")

const url = "http://localhost/mcp"
const fetchOf = (fetch: Fetch) => (input: string | URL | Request, init?: RequestInit) => fetch(new Request(input, init))

/** A client of `effect/ai`, which is told what the server speaks. */
const effectClient = (fetch: Fetch, protocol: McpProtocol.ProtocolAdapter<EffectClient.ProtocolVersion>) =>
  EffectClient.make({ name: "peer", version: "1.0.0" }).pipe(
    Effect.provideServiceEffect(EffectClient.Transport, EffectClient.http({ url, protocol })),
    Effect.provide(FetchHttpClient.layer),
    Effect.provideService(FetchHttpClient.Fetch, fetchOf(fetch) as typeof globalThis.fetch)
  )

const both = Effect.gen(function* () {
  const fetch = yield* treadleServer(mcp)
  return {
    effect: yield* effectClient(fetch, McpProtocol.v2026_07_28),
    treadle: yield* McpClient.http(url, { fetch: fetchOf(fetch) as typeof globalThis.fetch })
  }
})

describe("a call, with the client of effect/ai and with that of Treadle", () => {
  it.effect("a value: effect/ai decodes it by a schema that is given with the call, Treadle by the contract", () =>
    Effect.gen(function* () {
      const { effect, treadle } = yield* both
      const [tool] = yield* effect.listTools()
      if (tool === undefined) return assert.fail("the server lists it")
      // Arguments have no type of their own.
      const theirs = yield* effect.callTool({ tool, schema: Booked, arguments: { seats: 2 } })
      const ours = treadle.call(book)({ seats: 2 })
      expectTypeOf(ours).toEqualTypeOf<Effect.Effect<{ readonly booked: number }, SoldOut | McpError>>()
      assert.deepStrictEqual([theirs, yield* ours], [{ booked: 2 }, { booked: 2 }])
      // @ts-expect-error -- the contract has no such argument
      const wrong = () => treadle.call(book)({ chairs: 2 })
      assert.isFunction(wrong)
    })
  )

  it.effect("a declared error: one error for all from effect/ai, its own class from Treadle", () =>
    Effect.gen(function* () {
      const { effect, treadle } = yield* both
      const [tool] = yield* effect.listTools()
      if (tool === undefined) return assert.fail("the server lists it")
      const theirs = yield* Effect.flip(effect.callTool({ tool, schema: Booked, arguments: { seats: 9 } }))
      assert.isTrue(EffectClientError.isMcpClientError(theirs))
      const ours = yield* Effect.flip(treadle.call(book)({ seats: 9 }))
      assert.instanceOf(ours, SoldOut)
    })
  )

  it.effect("what the server speaks: effect/ai is told and fails where it is wrong, Treadle finds out", () =>
    Effect.gen(function* () {
      const fetch = yield* treadleServer(mcp)
      const old: Fetch = async (request) => {
        const text = await request.clone().text()
        return text.includes("server/discover") ? new Response(null, { status: 404 }) : fetch(request)
      }
      const theirs = yield* Effect.exit(effectClient(old, McpProtocol.v2026_07_28))
      assert.strictEqual(theirs._tag, "Failure")
      const ours = yield* McpClient.http(url, { fetch: fetchOf(old) as typeof globalThis.fetch })
      assert.strictEqual(ours.era, "compat")
    })
  )
})

describe("tools for a model, from the client of effect/ai and from that of Treadle", () => {
  it.effect("a name with a dot: none of the tools in effect/ai, all under names that models take in Treadle", () =>
    Effect.gen(function* () {
      const { effect, treadle } = yield* both
      const theirs = yield* Effect.flip(EffectClient.toolkit(effect))
      assert.include(theirs.message, "show.poster")
      const ours = yield* McpToolkit.fromSession(treadle, { name: "box" })
      assert.lengthOf(Object.keys(ours.tools), 3)
      for (const name of Object.keys(ours.tools)) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
    })
  )
})

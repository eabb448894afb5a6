/**
 * Hearing of changes: natively by `subscriptions/listen`, in a session by `resources/subscribe` and on its stream.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawRequest, rawResult, type RawMessage, type RawPeer } from "@treadle/testing"
import { ask, chapter, errorOf } from "../fixtures/chapter.ts"
import { hearing, type Wanted } from "../fixtures/clients.ts"

const everything: Wanted = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["suite://one"]
}

const acknowledged = "notifications/subscriptions/acknowledged"
const subscription = "io.modelcontextprotocol/subscriptionId"

/** Changes this, and waits until the last of it was told to somebody who hears everything. */
const change = (client: RawPeer, ...what: ReadonlyArray<string>) => rawResult(client, "change", { what })

type Heard = Effect.Success<ReturnType<typeof hearing>>

/** The changes that were heard until the prompts changed, which is told last. */
const heard = ({ id, seen }: Heard) => {
  const isOwn = ({ params }: RawMessage) => id === undefined || params?._meta?.[subscription] === id
  return Effect.map(
    Effect.promise(() => seen.first((one) => isOwn(one) && one["method"] === "notifications/prompts/list_changed")),
    () => seen.events.filter((one) => isOwn(one) && one["method"] !== acknowledged)
  )
}

const named = (messages: ReadonlyArray<{ readonly [key: string]: any }>) =>
  messages.map(({ method, params }) => (params?.uri === undefined ? method : `${method} ${params.uri}`))

export const subscriptions = chapter("subscriptions", (test) => {
  test(
    "SUB-06 SUB-07 CSUB-01 TOOL-04 RES-13: tell of each change once, however often it happened at about the same time",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const listening = yield* hearing(one, everything)
        yield* change(one, "tools", "suite://one", "tools", "resources", "suite://one", "prompts")
        const messages = yield* heard(listening)
        assert.deepStrictEqual(named(messages), [
          "notifications/tools/list_changed",
          "notifications/resources/updated suite://one",
          "notifications/resources/list_changed",
          "notifications/prompts/list_changed"
        ])
        for (const { params } of messages) assert.strictEqual(params?._meta?.[subscription], listening.id)
      }),
    { needs: ["notifications"] }
  )

  test(
    "SUB-02 CSUB-01: tell of no resource that was not named",
    ({ connect, era }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const few: Wanted = { promptsListChanged: true, resourceSubscriptions: ["suite://one"] }
        const listening = yield* hearing(one, few)
        yield* change(one, "tools", "suite://bytes", "suite://one", "prompts")
        assert.deepStrictEqual(named(yield* heard(listening)), [
          ...(era === "native" ? [] : ["notifications/tools/list_changed"]),
          "notifications/resources/updated suite://one",
          "notifications/prompts/list_changed"
        ])
      }),
    { needs: ["notifications"] }
  )

  test(
    "SUB-03 SUB-04: are acknowledged first, with what is honoured and under the id of the request",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const more = { ...everything, "com.example/more": ["t"] }
        const { id, seen } = yield* hearing(one, more)
        assert.deepStrictEqual(seen.events[0], {
          jsonrpc: "2.0",
          method: acknowledged,
          params: { notifications: everything, _meta: { [subscription]: id } }
        })
        const nothing = yield* hearing(one, {})
        const own = nothing.seen.events.find(({ params }) => params._meta[subscription] === nothing.id)
        assert.deepStrictEqual(own?.["params"].notifications, {})
      }),
    { era: "native", needs: ["notifications"] }
  )

  test(
    "SUB-09 CANCEL-08: end with a result under their id when the server stops, on every transport",
    ({ connect, stop }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const { answer } = yield* one.send(rawRequest(0, "subscriptions/listen", { notifications: everything }))
        const other = yield* hearing(one, everything)
        yield* Effect.all([stop, answer], { concurrency: "unbounded" })
        assert.deepStrictEqual((yield* answer)["result"], {
          resultType: "complete",
          _meta: {
            [subscription]: 0,
            "io.modelcontextprotocol/serverInfo": { name: "suite", version: "1.0.0" }
          }
        })
        const closed = yield* Effect.promise(() => other.seen.first(({ id }) => id === other.id))
        assert.strictEqual(closed["result"]._meta[subscription], other.id)
      }),
    { era: "native", needs: ["stop", "notifications"] }
  )

  test(
    "SUB-08 CANCEL-02: end without an answer when their client closes them, and tell of nothing more",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const { cancel, seen } = yield* one.send(
          rawRequest("gone", "subscriptions/listen", { notifications: everything })
        )
        yield* Effect.promise(() => seen.first(({ method }) => method === acknowledged))
        yield* cancel
        yield* rawResult(one, "noargs")
        const listening = yield* hearing(one, everything)
        yield* change(one, "tools", "prompts")
        yield* heard(listening)
        const own = seen.events.filter(({ id, params }) => id === "gone" || params?._meta?.[subscription] === "gone")
        assert.lengthOf(own, 1)
      }),
    { era: "native", needs: ["notifications"] }
  )

  test(
    "SUB-01: without a filter, or with one that is none, are -32602",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const wrong = [
          undefined,
          null,
          [],
          "all",
          { resourceSubscriptions: "suite://one" },
          { resourceSubscriptions: [1] }
        ]
        for (const notifications of wrong) {
          assert.strictEqual((yield* errorOf(one, "subscriptions/listen", { notifications })).code, -32602)
        }
      }),
    { era: "native" }
  )

  test(
    "CSUB-01: of a session end with unsubscribe, and need a URI",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
          for (const uri of [undefined, null, 5]) {
            assert.strictEqual((yield* errorOf(one, method, { uri })).code, -32602)
          }
        }
        const listening = yield* hearing(one, { resourceSubscriptions: ["suite://one", "suite://bytes"] })
        for (const _ of [1, 2]) {
          assert.deepStrictEqual((yield* ask(one, "resources/unsubscribe", { uri: "suite://one" }))["result"], {})
        }
        yield* change(one, "suite://one", "suite://bytes", "prompts")
        assert.deepStrictEqual(named(yield* heard(listening)), [
          "notifications/resources/updated suite://bytes",
          "notifications/prompts/list_changed"
        ])
      }),
    { era: "compat", needs: ["notifications"] }
  )

  test(
    "CHTTP-10: of two clients tell each of them once",
    ({ connect }) =>
      Effect.gen(function* () {
        const [left, right] = [yield* connect(), yield* connect()]
        const [first, second] = [yield* hearing(left, everything), yield* hearing(right, everything)]
        yield* change(left, "tools", "prompts")
        for (const listening of [first, second]) {
          assert.deepStrictEqual(named(yield* heard(listening)), [
            "notifications/tools/list_changed",
            "notifications/prompts/list_changed"
          ])
        }
      }),
    { needs: ["clients", "share", "notifications"] }
  )
})

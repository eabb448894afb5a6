import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Recorder, scriptedHttp, type HttpScript } from "@treadle/testing"
import { decline, McpClient, type Answers } from "../../src/index.ts"
import { compatServing, ping, reasonOf, result, rpcError, textResult } from "../fixtures.ts"

const page = { mode: "url", message: "Pay first", url: "https://box.example/pay", elicitationId: "e1" }

/** A server that wants a page visited before the call, with a stream of its own to say when that is done. */
const paying = (answers: Answers, pages: ReadonlyArray<object> = [page]) =>
  Effect.gen(function* () {
    const streams = new Recorder<(message: object) => Promise<void>>()
    let paid = false
    const rest: HttpScript = (seen, reply) =>
      paid
        ? reply.json(result(seen.json.id, textResult("booked")))
        : reply.json(rpcError(seen.json.id, -32042, "Pay first", { elicitations: pages }))
    const compat = compatServing(rest)
    const server = yield* scriptedHttp((seen, reply) => {
      if (seen.verb === "GET") return streams.record(reply.stream().event)
      return compat(seen, reply)
    })
    const session = yield* McpClient.http(server.url, { answers })
    const done = (elicitationId: string) =>
      Effect.promise(async () => {
        paid = true
        const send = await streams.first(() => true)
        await send({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params: { elicitationId } })
      })
    const calls = () => server.seen.events.filter((seen) => seen.json?.method === "tools/call").length
    return { session, done, calls }
  })

describe("a page that has to be visited before a compat request", () => {
  it.live("ELIC-20: is shown to the person, and the request is sent again once the server is done with it", () =>
    Effect.gen(function* () {
      const asked = new Recorder<string>()
      const { calls, done, session } = yield* paying({
        url: ({ url }, { name }) => {
          asked.record(`${name} ${url}`)
          return { action: "accept" }
        }
      })
      const booking = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
      assert.strictEqual(yield* Effect.promise(() => asked.first(() => true)), "ping https://box.example/pay")
      yield* done("another")
      yield* Effect.sleep(20)
      assert.isUndefined(booking.pollUnsafe())
      yield* done("e1")
      assert.strictEqual(yield* Fiber.join(booking), "booked")
      assert.strictEqual(calls(), 2)
    })
  )

  it.live("is refused where the person declines, and the request is not sent again", () =>
    Effect.gen(function* () {
      const { calls, session } = yield* paying({ url: decline })
      const reason = yield* reasonOf(session.call(ping)())
      assert.deepInclude(reason, { _tag: "InputRefused", asked: "a visit to https://box.example/pay" })
      assert.strictEqual(calls(), 1)
    })
  )

  it.live("is shown to nobody where the server wants more pages visited than a client shows at once", () =>
    Effect.gen(function* () {
      let shown = 0
      const pages = Array.from({ length: 65 }, (_, n) => ({ ...page, elicitationId: `e${n}` }))
      const { calls, session } = yield* paying({ url: () => (shown++, { action: "accept" }) }, pages)
      const reason = yield* reasonOf(session.call(ping)())
      assert.deepInclude(reason, { _tag: "InputRefused", asked: "65 answers at once, and at most 64 are given" })
      assert.deepStrictEqual([shown, calls()], [0, 1])
    })
  )

  it.live("stays the error it is where the client shows no pages", () =>
    Effect.gen(function* () {
      const { session } = yield* paying({ form: decline })
      const reason = yield* reasonOf(session.call(ping)())
      assert.deepInclude(reason, { _tag: "Rpc", code: -32042, data: { elicitations: [page] } })
    })
  )
})

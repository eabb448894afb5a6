import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { Recorder, scriptedHttp, type HttpScript } from "@treadle/testing"
import { Message } from "@treadle/protocol/rpc"
import { makeReverseRequests } from "../../src/engine/asking/ReverseRequests.ts"
import { McpClient, type Answers, type Asker } from "../../src/index.ts"
import { compatLines, farEnd, type FarEnd, type LineScript } from "../farEnd.ts"
import { compatServing, discoverResult, opened, ping, reasonOf, result, textResult } from "../fixtures.ts"

const ask = (id: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "elicitation/create",
  params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } }
})

const answersTo = (far: FarEnd, id: unknown) =>
  far.lines.events.filter((line) => line.id === id && line.method === undefined)

/** A session over a pipe whose person never answers, neither as a promise nor as an effect. */
const unanswered = (script: LineScript = compatLines()) =>
  Effect.gen(function* () {
    const askers = new Recorder<Asker>()
    const noise: Array<string> = []
    const form: Answers["form"] = (_, asker) => {
      askers.record(asker)
      return askers.events.length % 2 === 0 ? Effect.never : new Promise(() => {})
    }
    const { far, near } = farEnd(script)
    const scope = yield* Scope.make()
    const settings = { answers: { form }, onNoise: (text: string, why: string) => noise.push(`${why}: ${text}`) }
    const session = yield* Scope.provide(McpClient.pipe(near, settings), scope)
    const asked = (count: number) => Effect.promise(() => askers.first(() => askers.events.length >= count))
    const signals = () => askers.events.map(({ signal }) => signal.aborted)
    return { far, session, asked, signals, noise, close: Scope.close(scope, Exit.void) }
  })

/** Waits until all that was sent so far has been read. */
const settled = (far: FarEnd, id: string) => {
  far.send({ jsonrpc: "2.0", id, method: "ping" })
  return Effect.promise(() => far.lines.first((line) => line.id === id))
}

describe("a question of a compat server that nobody has answered yet", () => {
  it.effect("CANCEL-05: is withdrawn where the server cancels it, and gets no answer", () =>
    Effect.gen(function* () {
      const { asked, far, signals } = yield* unanswered()
      for (const id of ["a", 2]) far.send(ask(id))
      yield* asked(2)
      far.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "2" } })
      yield* settled(far, "p1")
      assert.deepStrictEqual(signals(), [false, false])
      for (const requestId of ["a", 2]) {
        far.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } })
      }
      yield* settled(far, "p2")
      assert.deepStrictEqual(signals(), [true, true])
      assert.deepStrictEqual([...answersTo(far, "a"), ...answersTo(far, 2)], [])
    })
  )

  it.effect("B092: is withdrawn where the pipe closes, and its call fails with Closed", () =>
    Effect.gen(function* () {
      const { asked, far, session, signals } = yield* unanswered(compatLines((_, far) => far.send(ask("q"))))
      const fiber = yield* Effect.forkChild(reasonOf(session.call(ping)()), { startImmediately: true })
      yield* asked(1)
      far.close()
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Closed")
      yield* Effect.yieldNow
      assert.deepStrictEqual(signals(), [true])
    })
  )

  it.effect("B092: is withdrawn with the session", () =>
    Effect.gen(function* () {
      const { asked, close, far, signals } = yield* unanswered()
      for (const id of ["a", "b"]) far.send(ask(id))
      yield* asked(2)
      yield* close
      assert.deepStrictEqual(signals(), [true, true])
    })
  )

  it.effect("B092: is withdrawn with the session over HTTP", () =>
    Effect.gen(function* () {
      const askers = new Recorder<Asker>()
      const rest = compatServing()
      const script: HttpScript = (seen, reply) =>
        seen.verb === "GET" ? void reply.stream().event(ask("q")) : rest(seen, reply)
      const form: Answers["form"] = (_, asker) => {
        askers.record(asker)
        return Effect.never
      }
      const server = yield* scriptedHttp(script)
      const signal = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* McpClient.http(server.url, { answers: { form } })
          return (yield* Effect.promise(() => askers.first(() => true))).signal
        })
      )
      assert.isTrue(signal.aborted)
    })
  )

  it.effect("is one of at most 64: the next is refused, until one of them is over", () =>
    Effect.gen(function* () {
      const { asked, far } = yield* unanswered()
      for (let id = 1; id <= 66; id++) far.send(ask(id))
      yield* asked(64)
      const refusal = yield* Effect.promise(() => far.lines.first((line) => line.id === 66))
      assert.deepStrictEqual(refusal.error, {
        code: -32603,
        message: "This client answers no more requests at the same time"
      })
      assert.strictEqual(answersTo(far, 65).length, 1)
      assert.strictEqual(far.lines.events.filter((line) => line.error !== undefined).length, 2)
      far.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
      far.send(ask(67))
      yield* asked(65)
      assert.deepStrictEqual(answersTo(far, 67), [])
    })
  )

  it.effect("has at most 64 answers and 64 refusals under way, whatever the server takes of them", () =>
    Effect.gen(function* () {
      const noise: Array<string> = []
      const posted = new Recorder<unknown>()
      const script = compatServing(async (seen, reply) => {
        const { event } = reply.stream()
        for (let id = 1; id <= 200; id++) await event({ jsonrpc: "2.0", id: `p${id}`, method: "ping" })
        await event(result(seen.json.id, textResult("ok")))
      })
      const { session } = yield* opened(
        (seen, reply) => {
          if (seen.json?.method !== undefined || seen.json?.id === undefined) return script(seen, reply)
          // No answer of the client is ever taken.
          posted.record(seen.json.id)
        },
        { onNoise: (_, why) => noise.push(why) }
      )
      yield* session.call(ping)()
      yield* Effect.promise(() => posted.first(() => posted.events.length === 128))
      assert.deepStrictEqual(noise, Array(72).fill("the server asks without taking the answers"))
    })
  )

  it.effect("BASE-03: is not asked again under the same id, which is reported", () =>
    Effect.gen(function* () {
      const { asked, far, noise, signals } = yield* unanswered()
      far.send(ask("a"))
      yield* asked(1)
      far.send(ask("a"))
      yield* settled(far, "p")
      assert.deepStrictEqual(signals(), [false])
      assert.deepStrictEqual(noise, ["the server used an id twice: elicitation/create"])
    })
  )
})

describe("a question of a compat server that comes after the session was closed", () => {
  it.effect("is not answered, and breaks nothing: what was on its way is read to the end", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const asked: Array<unknown> = []
      const answering = () => Effect.sync(() => asked.push("x"))
      const engine = () => assert.fail("nothing is sent")
      const made = makeReverseRequests(engine, answering as never, () => {})
      const { cancel, take } = yield* Scope.provide(made, scope)
      yield* Scope.close(scope, Exit.void)
      take(Message.request("a", "roots/list"), undefined)
      cancel("a")
      assert.deepStrictEqual(asked, [])
    })
  )
})

describe("a request of a native server", () => {
  it.effect("BASE-05: is refused with -32601 and reported, whatever is declared", () =>
    Effect.gen(function* () {
      const { far, noise, session, signals } = yield* unanswered((line, far) =>
        far.send(result(line.id, line.method === "server/discover" ? discoverResult : textResult("ok")))
      )
      far.send(ask("q"))
      const { error } = yield* Effect.promise(() => far.lines.first((line) => line.id === "q"))
      assert.strictEqual(error.code, -32601)
      assert.deepStrictEqual(noise, ["a server sends no requests in this revision: elicitation/create"])
      assert.deepStrictEqual(signals(), [])
      yield* session.call(ping)()
    })
  )
})

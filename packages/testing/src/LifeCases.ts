/**
 * What happens in every transport while a call runs: notifications, cancelling, time, limits, the end of the server.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { suiteLimits } from "./FixtureTools.ts"
import { rawCall, rawLogLevel, rawResult, rawToolCall, type RawCall, type RawPeer } from "./RawPeer.ts"
import type { SuiteCase } from "./SuiteDoor.ts"

const text = (said: string) => [{ type: "text", text: said }]
const happened = (peer: RawPeer, event: string) => rawResult(peer, "happened", { event })
const notifications = ({ seen }: RawCall) => seen.events.filter((message) => message["method"] !== undefined)

const aside: SuiteCase = {
  name: "PROG-02 PROG-05 LOG-02 LOG-04 LOG-07 B053: sends progress that grows and logs of the asked level, before the answer",
  needs: "notifications",
  run: Effect.fnUntraced(function* ({ open, peer }) {
    const one = yield* peer
    const meta = { progressToken: 0, "io.modelcontextprotocol/logLevel": "info" }
    yield* rawLogLevel(one, "info")
    const steps = yield* rawCall(one, "steps", { gate: "steps" }, meta)
    yield* Effect.promise(() => steps.seen.first((message) => message["method"] === "notifications/message"))
    assert.strictEqual(steps.seen.events.filter((message) => "result" in message).length, 0)
    yield* open("steps")
    yield* steps.answer
    const progress = (done: number) => ({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 0, progress: done, total: 3, message: `step ${done}` }
    })
    assert.deepStrictEqual(notifications(steps), [
      progress(1),
      progress(2.5),
      progress(3),
      {
        jsonrpc: "2.0",
        method: "notifications/message",
        params: { level: "warning", logger: "box", data: { left: 2 } }
      }
    ])
    assert.property(steps.seen.events.at(-1), "result")
  })
}

const silent: SuiteCase = {
  name: "PROG-03 LOG-02 LOG-05: sends neither progress nor logs that were not asked for",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    for (const meta of [
      {},
      { progressToken: null, "io.modelcontextprotocol/logLevel": "loud" },
      { progressToken: 1.5 }
    ]) {
      const steps = yield* rawCall(one, "steps", {}, meta)
      assert.strictEqual((yield* steps.answer)["result"].content[0].text, "done")
      assert.deepStrictEqual(notifications(steps), [])
    }
  })
}

const nothingLater: SuiteCase = {
  name: "PROG-03 LOG-03: sends nothing after the answer",
  run: Effect.fnUntraced(function* ({ open, peer }) {
    const one = yield* peer
    const meta = { progressToken: "t", "io.modelcontextprotocol/logLevel": "debug" }
    yield* rawLogLevel(one, "debug")
    const late = yield* rawCall(one, "late", { gate: "late" }, meta)
    yield* late.answer
    yield* open("late")
    yield* happened(one, "told late")
    yield* rawResult(one, "noargs")
    assert.deepStrictEqual(notifications(late), [])
  })
}

const cancelling: SuiteCase = {
  name: "CANCEL-02 CANCEL-05 HTTP-17 CHTTP-06 B037 B053: cancels a call: finalizers run, the signal fires, nothing is answered",
  run: Effect.fnUntraced(function* ({ open, peer }) {
    const one = yield* peer
    const hold = yield* one.send(rawToolCall(0, "hold", { gate: "h" }))
    const watch = yield* one.send(rawToolCall("", "watch", { gate: "w" }))
    yield* happened(one, "began h")
    yield* happened(one, "began w")
    yield* hold.cancel
    yield* watch.cancel
    yield* happened(one, "ended h")
    yield* happened(one, "ended w")
    yield* open("h")
    const { structuredContent } = yield* rawResult(one, "events")
    const { events, running } = structuredContent
    assert.strictEqual(running, 0)
    assert.includeMembers(events, ["interrupted h", "aborted w"])
    assert.isBelow(events.indexOf("interrupted h"), events.indexOf("ended h"))
    assert.deepStrictEqual(
      [...hold.seen.events, ...watch.seen.events].filter((message) => message["id"] === 0 || message["id"] === ""),
      []
    )
  })
}

const cancellingEvents: SuiteCase = {
  name: "HTTP-17 CANCEL-02: cancels a call that has already sent something",
  needs: "notifications",
  run: Effect.fnUntraced(function* ({ open, peer }) {
    const one = yield* peer
    const steps = yield* rawCall(one, "steps", { gate: "never" }, { progressToken: "t" })
    yield* Effect.promise(() => steps.seen.first((message) => message["method"] === "notifications/progress"))
    yield* steps.cancel
    yield* happened(one, "aborted steps")
    yield* open("never")
    yield* rawResult(one, "noargs")
    assert.isFalse(steps.seen.events.some((message) => "result" in message || "error" in message))
  })
}

const timeouts: SuiteCase = {
  name: "TOOL-19: gives a call up after its timeout, tells the model, and runs its finalizers",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    assert.deepStrictEqual(yield* rawResult(one, "endless"), {
      content: text("endless gave up after 20 ms"),
      isError: true
    })
    yield* happened(one, "gave up")
  })
}

const twoClients: SuiteCase = {
  name: "BASE-17: keeps calls with equal ids of two clients apart, in answers and in cancelling",
  needs: "clients",
  run: Effect.fnUntraced(function* ({ open, peer }) {
    const [left, right] = [yield* peer, yield* peer]
    const first = yield* left.send(rawToolCall(1, "hold", { gate: "left" }))
    const second = yield* right.send(rawToolCall(1, "hold", { gate: "right" }))
    yield* happened(left, "began left")
    yield* happened(right, "began right")
    yield* first.cancel
    yield* happened(right, "ended left")
    yield* open("right")
    assert.strictEqual((yield* second.answer)["result"].content[0].text, "right")
  })
}

const limit: SuiteCase = {
  name: "D13: refuses one call more than may run at once, and serves again when one has ended",
  needs: "limit",
  run: Effect.fnUntraced(function* ({ open, peer }) {
    const one = yield* peer
    const held = yield* Effect.forEach(Array.from({ length: suiteLimits.runningCalls + 1 }), (_, at) =>
      one.send(rawToolCall(at, "hold", { gate: "many" }))
    )
    const refused = yield* Effect.raceAll(held.map(({ answer }) => answer))
    assert.strictEqual(refused["error"].code, -32603)
    assert.include(refused["error"].message, `(${suiteLimits.runningCalls})`)
    const others = held.filter((_, at) => at !== refused["id"])
    assert.strictEqual(others.length, suiteLimits.runningCalls)
    const [given, ...kept] = others
    if (given !== undefined) yield* given.cancel
    yield* open("many")
    for (const answer of yield* Effect.forEach(kept, ({ answer }) => answer)) {
      assert.strictEqual(answer["result"].content[0].text, "many")
    }
    assert.strictEqual((yield* rawResult(one, "events")).structuredContent.running, 0)
  })
}

const stopping: SuiteCase = {
  name: "D17: stops: what ends within the grace is answered, the rest is told that the server is stopping",
  needs: "stop",
  run: Effect.fnUntraced(function* ({ open, peer, stop }) {
    const one = yield* peer
    const short = yield* rawCall(one, "hold", { gate: "short" })
    const long = yield* rawCall(one, "hold", { gate: "long" })
    yield* happened(one, "began short")
    yield* happened(one, "began long")
    yield* Effect.all([stop, Effect.andThen(open("short"), Effect.all([short.answer, long.answer]))], {
      concurrency: "unbounded"
    })
    assert.strictEqual((yield* short.answer)["result"].content[0].text, "short")
    assert.deepInclude((yield* long.answer)["error"], { code: -32603, message: "The server is stopping" })
  })
}

export const lifeCases: ReadonlyArray<SuiteCase> = [
  aside,
  silent,
  nothingLater,
  cancelling,
  cancellingEvents,
  timeouts,
  twoClients,
  limit,
  stopping
]

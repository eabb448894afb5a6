/**
 * Which calls become tasks: of which tools, and what else such a tool may have.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { tasksExtension as extension } from "@treadle/protocol/schema"
import { Ask, CurrentCall, Mcp, type Limits, type McpBuildErrors, type TaskOption } from "../../src/index.ts"
import { HttpApiTools } from "../../src/http-api/index.ts"
import { ToolkitTools } from "../../src/toolkit/index.ts"
import { empty, said, serving } from "../fixtures/calling.ts"
import { HallApi, HallLive } from "../fixtures/hallApi.ts"
import { asked, called, discovered, got } from "../fixtures/taskCalling.ts"
import { handlers, Seats, toolkit } from "../toolkit/toolkits.ts"

const plain = { description: "Tested" }
const one = (task: TaskOption) => empty().tool("t", { ...plain, task }, async () => "made")
const withLimits = (limits: Partial<Limits>) => ({ limits })
const turns = Effect.promise(() => new Promise(setImmediate))

describe("a call that becomes a task", () => {
  it.effect("TASK-01: is declared where some call may become one, also of an operation that a catalog runs", () =>
    Effect.gen(function* () {
      const operation = empty().operation("op", { ...plain, task: "required" }, async () => "made")
      for (const [mcp, declared] of [
        [empty().tool("t", plain, async () => "x"), undefined],
        [operation, undefined],
        [operation.catalog({ allow: ["op"] }), { [extension]: {} }],
        [one("optional").extension("com.example/x"), { "com.example/x": {}, [extension]: {} }],
        [empty().extension(extension), { [extension]: {} }]
      ] as const) {
        const { peer } = yield* serving(mcp, {})
        assert.deepStrictEqual(yield* discovered(peer), declared)
      }
      const { peer } = yield* serving(operation.catalog({ allow: ["op"] }), {})
      const { taskId } = yield* called(peer, "invoke", { name: "op" })
      assert.strictEqual(said((yield* got(peer, taskId)).result), "made")
    })
  )

  it.effect("TASK-01 D8: is made of calls of tools that are added later, where tasks were declared at the start", () =>
    Effect.gen(function* () {
      const first = empty().tool("first", plain, async () => "x")
      for (const [mcp, limits, resultType] of [
        [first.extension(extension), {}, "task"],
        [first, { tasks: 0 }, "complete"]
      ] as const) {
        const { peer, served } = yield* serving(mcp, {}, withLimits(limits))
        yield* served.live.add(one("required"))
        assert.strictEqual((yield* called(peer, "t")).resultType, resultType)
        assert.deepStrictEqual((yield* served.live.remove({ tools: ["t"] })).tools, ["t"])
      }
    })
  )

  it.effect("TASK-01 D8: of a tool that is added later is refused where clients were told of none", () =>
    Effect.gen(function* () {
      const first = empty().tool("first", plain, async () => "x")
      const operation = empty().operation("op", { ...plain, task: "optional" }, async () => "made")
      const whys = <A>(change: Effect.Effect<A, McpBuildErrors>) =>
        Effect.match(change, {
          onSuccess: () => [],
          onFailure: ({ errors }) => errors.map((error) => (error._tag === "NotLive" ? error.why : error._tag))
        })
      const { live } = (yield* serving(first, {})).served
      for (const change of [live.add(one("required")), live.replace(one("optional"))]) {
        const [why = "", ...more] = yield* whys(change)
        assert.match(
          why,
          /^clients were told that there are no tasks, because no tool had any at the start: declare extension\("io\.modelcontextprotocol\/tasks"\) where the server is made \(calling\.ts:\d+\)$/
        )
        assert.deepStrictEqual(more, [])
      }
      assert.deepStrictEqual(yield* whys(live.add(operation)), [])
      const broker = (yield* serving(
        first.catalog({ allow: ["op"] }).add(empty().operation("op", plain, async () => "")),
        {}
      )).served
      assert.lengthOf(yield* whys(broker.live.replace(operation)), 1)
    })
  )

  it.effect("is one of a tool of a toolkit that says so", () =>
    Effect.gen(function* () {
      const { mcp } = ToolkitTools.make(toolkit, { book: { task: "required" } })
      const seats = Layer.succeed(Seats, { left: 3 })
      const { peer } = yield* serving(empty().add(mcp.provide(handlers)).provide(seats), {})
      const outcome = (wanted: number) =>
        Effect.gen(function* () {
          const { taskId } = yield* called(peer, "book", { seats: wanted, day: "2026-12-24T00:00:00.000Z" })
          yield* turns
          return (yield* got(peer, taskId)).result
        })
      assert.deepInclude((yield* outcome(2)).structuredContent, { booked: 2 })
      assert.deepInclude(yield* outcome(4), { isError: true, structuredContent: { _tag: "SoldOut", left: 3 } })
      assert.strictEqual((yield* called(peer, "count")).resultType, "complete")
      const wrong = ToolkitTools.make(toolkit, { book: { task: { ttl: 0 } } })
      assert.strictEqual(Mcp.check(wrong.mcp)[0]?._tag, "InvalidDefinition")
    })
  )

  it.effect("is one of an operation of an HttpApi that says so, with the headers of its caller", () =>
    Effect.gen(function* () {
      const tools = HttpApiTools.make(HallApi, {
        put_order: { operation: "halls.put", headers: ["x-tenant"], task: { ttl: 5_000 } },
        end: { operation: "halls.end", description: "Ends in some way", task: "required" }
      })
      const { peer } = yield* serving(empty().add(tools.mcp.provide(HttpApiTools.layer(HallLive))), {})
      const task = (name: string, args: object) =>
        Effect.gen(function* () {
          const { taskId } = yield* called(peer, name, args)
          for (let looks = 0; looks < 100; looks++) {
            const task = yield* got(peer, taskId)
            if (task.status !== "working") return task
            yield* turns
          }
          return assert.fail("it never ended")
        })
      const order = { hall: "h", row: 1, note: "n", guests: ["A"], "x-tenant": "acme" }
      const put = yield* task("put_order", order)
      assert.deepInclude(put.result.structuredContent.value, { hall: "h", tenant: "acme" })
      assert.strictEqual(put.ttlMs, 5_000)
      assert.deepInclude(yield* task("end", { how: "full" }), { status: "completed" })
      assert.deepInclude((yield* task("end", { how: "full" })).result.structuredContent, { _tag: "Full" })
      assert.deepInclude(yield* task("end", { how: "defect" }), { status: "failed" })
      const { taskId } = yield* called(peer, "end", { how: "never" })
      yield* turns
      yield* asked(peer, "tasks/cancel", { taskId })
      yield* turns
      assert.strictEqual((yield* got(peer, taskId)).status, "cancelled")
    })
  )

  it.effect("TASK-07 MRTR-18: is begun once with each state of a call that may present one once", () =>
    Effect.gen(function* () {
      const form = Ask.form({ message: "Sure?", fields: { sure: Schema.Boolean } })
      const mcp = empty().tool("pay", { ...plain, once: true, task: { begins: "later" } }, () =>
        Effect.gen(function* () {
          yield* CurrentCall.ask("sure", form)
          yield* CurrentCall.startTask
          const { action } = yield* CurrentCall.ask("again", form)
          return `paid, ${action}`
        })
      )
      const { peer, served } = yield* serving(mcp, {})
      const { requestState } = yield* called(peer, "pay")
      const inputResponses = { sure: { action: "accept", content: { sure: true } } }
      const retry = { name: "pay", arguments: {}, requestState, inputResponses }
      const { taskId } = (yield* asked(peer, "tools/call", retry))["result"]
      assert.strictEqual((yield* asked(peer, "tools/call", retry))["error"].code, -32602)
      assert.strictEqual(served.counters().tasks, 1)
      yield* asked(peer, "tasks/update", { taskId, inputResponses: { again: { action: "decline" } } })
      yield* turns
      assert.strictEqual(said((yield* got(peer, taskId)).result), "paid, decline")
    })
  )
})

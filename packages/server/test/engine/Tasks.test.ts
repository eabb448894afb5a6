/**
 * Tasks: how long they are kept and for whom, how many, and what of them the handler decides.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { Message } from "@treadle/protocol/rpc"
import { tasksExtension } from "@treadle/protocol/schema"
import { rawDeclaring, rawRequest, rawToolCall } from "@treadle/testing"
import { Ask, AskFailed, Counters, CurrentCall, Mcp, type Limits, type TaskOption } from "../../src/index.ts"
import { McpHttp } from "../../src/http.ts"
import { directPeer } from "../../src/McpDirect.ts"
import { empty, said, serving } from "../fixtures/calling.ts"
import { directRawPeer, headersOf } from "../fixtures/rawPeers.ts"
import { able, asked, called, discovered, got, knowing } from "../fixtures/taskCalling.ts"

const plain = { description: "Tested" }
const none = Counters.none
const nameForm = Ask.form({ message: "Who are you?", fields: { name: Schema.String } })

/** Never ends by itself, and says when it was ended. */
const endless = (ended: Array<string>) => () =>
  Effect.onInterrupt(Effect.never, () => Effect.sync(() => void ended.push("ended")))

const one = (task: TaskOption) => empty().tool("t", { ...plain, task }, async () => "made")

const withLimits = (limits: Partial<Limits>) => ({ limits })

describe("a task", () => {
  it.effect(
    "TASK-19 D13: is kept for its time to live, counted from its creation, and is ended and gone after it",
    () =>
      Effect.gen(function* () {
        const ended: Array<string> = []
        const mcp = one({ ttl: 10_100 }).tool("endless", { ...plain, task: { ttl: 10_100 } }, endless(ended))
        const { peer, served } = yield* serving(mcp, {})
        const { taskId: done } = yield* called(peer, "t")
        const { taskId: running } = yield* called(peer, "endless")
        yield* TestClock.adjust(10_099)
        assert.strictEqual((yield* got(peer, done)).status, "completed")
        assert.strictEqual((yield* got(peer, running)).status, "working")
        assert.deepStrictEqual(served.counters(), { ...none, tasks: 2 })
        yield* TestClock.adjust(1)
        for (const id of [done, running]) assert.strictEqual((yield* got(peer, id)).code, -32602)
        yield* TestClock.adjust(500)
        assert.deepStrictEqual(ended, ["ended"])
        assert.deepStrictEqual(served.counters(), none)
      })
  )

  it.effect("TASK-19 TASK-15: is told of as failed where its time is over before it ended", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("endless", { ...plain, task: { ttl: 1_000 } }, endless([]))
      const { peer } = yield* serving(mcp, {})
      const { taskId } = yield* called(peer, "endless")
      const { seen } = yield* knowing(peer).send(
        rawRequest("listen", "subscriptions/listen", { notifications: { taskIds: [taskId] } })
      )
      yield* TestClock.adjust(2_000)
      const told = seen.events.filter(({ method }) => method === "notifications/tasks").map(({ params }) => params)
      assert.deepStrictEqual(
        told.map(({ status, statusMessage }) => [status, statusMessage]),
        [
          ["working", undefined],
          ["failed", "The task outlived the time for which it is kept"]
        ]
      )
    })
  )

  it.effect(
    "TASK-05 D13: is kept as long as the limit says, or for less, or without end where the tool says null",
    () =>
      Effect.gen(function* () {
        const ttls = [undefined, 500, 5_000, null]
        for (const [at, ttl] of ttls.entries()) {
          const mcp = one(ttl === undefined ? "optional" : { ttl })
          const { peer } = yield* serving(mcp, {}, withLimits({ taskTtl: 1_000 }))
          const { pollIntervalMs, taskId, ttlMs } = yield* called(peer, "t")
          assert.deepStrictEqual([ttlMs, pollIntervalMs], [[1_000, 500, 1_000, null][at], 1_000])
          yield* TestClock.adjust(3_600_000)
          assert.strictEqual((yield* got(peer, taskId)).status, ttl === null ? "completed" : undefined)
        }
      })
  )

  it.effect("TASK-19: is its principal's own: to anybody else it is as if it were not there", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make<{ readonly user: string }>({
        name: "suite",
        version: "1.0.0",
        principal: (c) => c.user
      }).tool("t", { ...plain, task: "optional" }, async () => "made")
      const { peer: ada, served } = yield* serving(mcp, { user: "ada" })
      const of = (user: string) => directRawPeer(directPeer(served, { user }))
      const { taskId } = yield* called(ada, "t")
      const bob = of("bob")
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        const { error } = yield* asked(bob, method, { taskId, inputResponses: {} })
        const other = yield* asked(bob, method, { taskId: taskId.replace(/./, "x"), inputResponses: {} })
        assert.strictEqual(error.code, -32602)
        assert.strictEqual(error.message.replace(taskId, ""), other["error"].message.replace(/"[^"]+"/, '""'))
      }
      const { seen } = yield* knowing(bob).send(
        rawRequest("listen", "subscriptions/listen", { notifications: { taskIds: [taskId] } })
      )
      assert.deepStrictEqual(seen.events[0]?.["params"].notifications, {})
      assert.strictEqual((yield* got(of("ada"), taskId)).status, "completed")
    })
  )

  it.effect("D13 TASK-02: is none where there is no room: the call is an ordinary one, or refused", () =>
    Effect.gen(function* () {
      const mcp = one({ ttl: 1_000 }).tool("required", { ...plain, task: "required" }, async () => "made")
      const { peer, served } = yield* serving(mcp, {}, withLimits({ callerTasks: 1, tasks: 2 }))
      assert.strictEqual((yield* called(peer, "t")).resultType, "task")
      assert.strictEqual((yield* called(peer, "t")).resultType, "complete")
      assert.deepStrictEqual(yield* called(peer, "required"), {
        code: -32603,
        message: "Too many tasks are kept; wait until the time of one is over"
      })
      const [second, third] = [directRawPeer(directPeer(served, {})), directRawPeer(directPeer(served, {}))]
      assert.strictEqual((yield* called(second, "t")).resultType, "task")
      assert.strictEqual((yield* called(third, "t")).resultType, "complete")
      yield* TestClock.adjust(1_250)
      assert.strictEqual((yield* called(third, "t")).resultType, "task")
    })
  )

  it.effect(
    "TASK-01 D13: is never one where none is kept: nothing is declared, and every call is an ordinary one",
    () =>
      Effect.gen(function* () {
        const mcp = one("required").extension(tasksExtension)
        const { peer } = yield* serving(mcp, {}, withLimits({ tasks: 0 }))
        assert.isUndefined(yield* discovered(peer))
        assert.strictEqual((yield* called(peer, "t")).resultType, "complete")
        assert.strictEqual((yield* asked(peer, "tasks/get", { taskId: "t" }))["error"].code, -32601)
        const answer = yield* one("required").handle(
          Message.request(1, "tools/call", rawDeclaring(rawToolCall(1, "t"), able)["params"])
        )
        assert.strictEqual(answer?._tag === "Result" && answer.result["resultType"], "complete")
      })
  )

  it.effect("TASK-10: goes on without an answer that does not come in time", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("ask", { ...plain, task: "optional" }, () =>
        Effect.catch(Effect.as(CurrentCall.ask("name", nameForm), "answered"), (error) =>
          Effect.succeed(error instanceof AskFailed ? error.reason : "other")
        )
      )
      const { peer, served } = yield* serving(mcp, {}, withLimits({ askTimeout: 1_000 }))
      const { taskId } = yield* called(peer, "ask")
      assert.strictEqual((yield* got(peer, taskId)).status, "input_required")
      assert.deepStrictEqual(served.counters(), { ...none, tasks: 1 })
      yield* TestClock.adjust(1_250)
      const { result, status } = yield* got(peer, taskId)
      assert.deepStrictEqual([status, said(result)], ["completed", "timed-out"])
    })
  )

  it.effect("TASK-08 TASK-10: asks for nothing that its handler waits for no longer, and its time goes on then", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("ask", { ...plain, timeout: 3_000, task: "optional" }, () =>
        Effect.andThen(Effect.timeoutOption(CurrentCall.ask("name", nameForm), 1_000), Effect.sleep(60_000))
      )
      const { peer } = yield* serving(mcp, {})
      const { taskId } = yield* called(peer, "ask")
      assert.strictEqual((yield* got(peer, taskId)).status, "input_required")
      yield* TestClock.adjust(1_250)
      const { inputRequests, status } = yield* got(peer, taskId)
      assert.deepStrictEqual([status, inputRequests], ["working", undefined])
      yield* TestClock.adjust(5_000)
      const { result } = yield* got(peer, taskId)
      assert.strictEqual(said(result), "ask gave up after 3000 ms")
    })
  )

  it.effect("TASK-09: stays as it ended, whatever a handler that heeds no signal says after that", () =>
    Effect.gen(function* () {
      let open = (): void => {}
      const gate = new Promise<void>((resolve) => {
        open = resolve
      })
      const mcp = empty().tool("deaf", { ...plain, task: "optional" }, async (_, { ask, progress }) => {
        await gate
        progress(1, 2, "still here")
        await ask("name", nameForm)
        return "made"
      })
      const { peer } = yield* serving(mcp, {})
      const { taskId } = yield* called(peer, "deaf")
      yield* asked(peer, "tasks/cancel", { taskId })
      yield* Effect.yieldNow
      const ended = yield* got(peer, taskId)
      assert.strictEqual(ended.status, "cancelled")
      yield* TestClock.adjust(1_000)
      open()
      yield* Effect.promise(() => new Promise(setImmediate))
      assert.deepStrictEqual(yield* got(peer, taskId), ended)
    })
  )

  it.effect("TASK-07 TASK-19: runs each step once, and to its end when its tool is removed meanwhile", () =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const step = (key: string) =>
        CurrentCall.step(
          key,
          Effect.sync(() => ran.push(key))
        )
      const part = empty().tool("stepped", { ...plain, task: { begins: "later" } }, () =>
        Effect.gen(function* () {
          yield* step("before")
          yield* CurrentCall.ask("first", nameForm)
          yield* CurrentCall.startTask
          yield* step("after")
          yield* CurrentCall.ask("second", nameForm)
          return ran.join(" ")
        })
      )
      const { peer, served } = yield* serving(one("optional"), {})
      yield* served.live.add(part)
      const { requestState } = yield* called(peer, "stepped")
      const declined = { action: "decline" }
      const retry = { name: "stepped", arguments: {}, requestState, inputResponses: { first: declined } }
      const { taskId } = (yield* asked(peer, "tools/call", retry))["result"]
      yield* served.live.remove({ tools: ["stepped"] })
      assert.strictEqual((yield* called(peer, "stepped")).code, -32602)
      yield* asked(peer, "tasks/update", { taskId, inputResponses: { first: declined, second: declined } })
      yield* Effect.yieldNow
      const { result, status } = yield* got(peer, taskId)
      assert.deepStrictEqual([status, said(result)], ["completed", "before after"])
    })
  )

  it.effect("TASK-07 TASK-10: takes along what was asked just before it began", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("ask", { ...plain, task: { begins: "later" } }, async (_, { ask, startTask }) => {
        const answer = ask("name", nameForm)
        startTask()
        return JSON.stringify(await answer)
      })
      const { peer } = yield* serving(mcp, {})
      const { inputRequests, status, taskId } = yield* called(peer, "ask")
      assert.deepStrictEqual([status, inputRequests], ["working", undefined])
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      assert.deepStrictEqual(Object.keys((yield* got(peer, taskId)).inputRequests), ["name"])
      const answer = { action: "accept", content: { name: "Ada" } }
      yield* asked(peer, "tasks/update", { taskId, inputResponses: { name: answer } })
      yield* Effect.yieldNow
      assert.strictEqual(said((yield* got(peer, taskId)).result), JSON.stringify(answer))
    })
  )

  it.effect("TASK-08: asks nothing any more once it is being cancelled", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("ask", { ...plain, task: "optional" }, () =>
        Effect.onInterrupt(Effect.as(CurrentCall.ask("name", nameForm), "answered"), () => Effect.sleep(1_000))
      )
      const { peer } = yield* serving(mcp, {})
      const { taskId } = yield* called(peer, "ask")
      yield* asked(peer, "tasks/cancel", { taskId })
      assert.strictEqual((yield* got(peer, taskId)).status, "working")
      const late = { name: { action: "accept", content: { name: "Ada" } } }
      yield* asked(peer, "tasks/update", { taskId, inputResponses: late })
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* got(peer, taskId)).status, "cancelled")
    })
  )

  it.effect("TASK-17 HDR-04: is named by a header over HTTP, and refused with the status of what is wrong", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make<{ readonly scopes: ReadonlyArray<string> }>({
        name: "suite",
        version: "1.0.0",
        principal: ({ scopes }) => ({ id: "ada", scopes })
      }).tool("t", { ...plain, task: { required: true, ttl: 1_000 }, scopes: ["make"] }, async () => "made")
      const door = McpHttp.fetch(mcp, withLimits({ callerTasks: 1 }))
      const status = (message: object, headers: object = {}, scopes = ["make"], capabilities: object = able) =>
        Effect.promise(async () => {
          const declared = rawDeclaring(message, capabilities)
          const body = JSON.stringify(declared)
          const init = { method: "POST", headers: { ...headersOf(declared), ...headers }, body }
          const response = await door(new Request("http://localhost/mcp", init), { scopes })
          const { error, result } = JSON.parse(await response.text())
          return { status: response.status, code: error?.code, result }
        })
      const call = rawToolCall(1, "t", {})
      assert.deepInclude(yield* status(call, {}, ["make"], {}), { status: 400, code: -32021 })
      const { taskId } = (yield* status(call)).result
      const get = rawRequest(2, "tasks/get", { taskId })
      assert.strictEqual((yield* status(get)).result.status, "completed")
      assert.deepInclude(yield* status(get, { "mcp-name": "other" }), { status: 400, code: -32020 })
      assert.deepInclude(yield* status(get, {}, []), { status: 403, code: -32600 })
      const listen = rawRequest(3, "subscriptions/listen", { notifications: { taskIds: [taskId] } })
      assert.deepInclude(yield* status(listen, {}, ["make"], {}), { status: 400, code: -32021 })
      assert.deepInclude(yield* status(call), { status: 429, code: -32603 })
      yield* Effect.promise(() => door.close())
      assert.deepStrictEqual(door.counters(), none)
    })
  )

  it.effect("TASK-13: leaves the id of its request to others, and is not cancelled by it", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const mcp = empty().tool("endless", { ...plain, task: "optional" }, endless(ended))
      const { peer, served } = yield* serving(mcp, {})
      const begun = Effect.gen(function* () {
        const call = yield* knowing(peer).send(rawToolCall("same", "endless", {}))
        const { taskId } = (yield* call.answer)["result"]
        yield* call.cancel
        return taskId
      })
      const taskIds = [yield* begun, yield* begun]
      assert.deepStrictEqual(served.counters(), { ...none, tasks: 2 })
      for (const taskId of taskIds) {
        assert.strictEqual((yield* got(peer, taskId)).status, "working")
        yield* asked(peer, "tasks/cancel", { taskId })
      }
      assert.deepStrictEqual(ended, ["ended", "ended"])
    })
  )
})

describe("what a tool says of its tasks", () => {
  it("D1: is refused where it cannot be meant, with every reason", () => {
    const wrong = {
      required: "yes",
      begins: "soon",
      ttl: 0,
      pollInterval: 1.5,
      ttlMs: 7
    } as unknown as TaskOption
    const reasons = (task: unknown) =>
      Mcp.check(one(task as TaskOption)).map((error) => (error._tag === "InvalidDefinition" ? error.why : error._tag))
    assert.deepStrictEqual(reasons(wrong), [
      "task.required must be true or false",
      'task.begins must be "at-once" or "later"',
      "task.ttl must be a whole number of milliseconds above 0, or null for as long as it is served",
      "task.pollInterval must be a whole number of milliseconds above 0",
      'task has "ttlMs"; it may have required, begins, ttl, pollInterval'
    ])
    assert.deepStrictEqual(reasons(true), ['task must be "optional", "required" or an object such as { ttl: 60_000 }'])
    for (const right of ["optional", "required", {}, { ttl: null, begins: "at-once" }]) {
      assert.deepStrictEqual(reasons(right), [])
    }
  })
})

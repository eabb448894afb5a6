/**
 * Calls that go on as tasks: answered at once, and asked about later.
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawCall, rawResult, type RawPeer } from "@treadle/testing"
import { ask, chapter, errorOf, happened, notifications, resultOf, text } from "../fixtures/chapter.ts"
import { hearing } from "../fixtures/clients.ts"

const extension = "io.modelcontextprotocol/tasks"
const able = { extensions: { [extension]: {} }, elicitation: {} }
const missing = { requiredCapabilities: { extensions: { [extension]: {} } } }
const methods = ["tasks/get", "tasks/update", "tasks/cancel"]

/** Calls a tool, and gives the id of the task that the call became. */
const begun = (client: RawPeer, name: string, args: object = {}, more: object = {}): Effect.Effect<string> =>
  Effect.map(resultOf(client, "tools/call", { name, arguments: args, ...more }), ({ taskId }) => taskId)

const got = (client: RawPeer, taskId: string) => resultOf(client, "tasks/get", { taskId })

const turn = Effect.promise(() => new Promise(setImmediate))

/** The task once its status is one of these; a thousand looks are enough for any of the suite. */
const until = (client: RawPeer, taskId: string, ...statuses: ReadonlyArray<string>): Effect.Effect<any> =>
  Effect.gen(function* () {
    let task: any
    const latest = performance.now() + 10_000
    while (performance.now() < latest) {
      task = yield* got(client, taskId)
      if (statuses.includes(task.status)) return task
      yield* turn
    }
    return assert.fail(`never ${statuses.join(" or ")}: ${JSON.stringify(task)}`)
  })

const ended = (client: RawPeer, taskId: string) => until(client, taskId, "completed", "failed", "cancelled")

const accept = (said: string) => ({ action: "accept", content: { said } })

export const tasks = chapter("tasks", (test) => {
  test(
    "TASK-01 TASK-20: are declared natively, and not in the handshake of a session",
    ({ connect, era }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const { capabilities } = era === "native" ? yield* resultOf(one, "server/discover") : (one.handshake ?? {})
        assert.deepStrictEqual(capabilities.extensions, era === "native" ? { [extension]: {} } : undefined)
        assert.isUndefined(capabilities.tasks)
      }),
    { needs: ["state"] }
  )

  test(
    "TASK-05 TASK-06 TASK-08: answer a call at once, and give its result once it is there",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const { result } = yield* ask(one, "tools/call", { name: "task_hold", arguments: { gate: "made" } })
        const { _meta, createdAt, lastUpdatedAt, taskId, ...rest } = result
        assert.deepStrictEqual(rest, { resultType: "task", status: "working", ttlMs: 60_000, pollIntervalMs: 50 })
        for (const time of [createdAt, lastUpdatedAt]) assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        const working = yield* ask(one, "tasks/get", { taskId })
        assert.deepInclude(working["result"], { resultType: "complete", taskId, status: "working", createdAt })
        yield* open("made")
        const done = yield* ended(one, taskId)
        assert.strictEqual(done.status, "completed")
        const { _meta: _, ...plain } = done.result
        assert.deepStrictEqual(plain, { resultType: "complete", content: text("made") })
      }),
    { era: "native", needs: ["state"] }
  )

  test(
    "TASK-03: are not for clients that do not declare them: the call is an ordinary one, or -32021",
    ({ connect, era }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const steps = yield* rawResult(one, "task_steps", {})
        assert.deepStrictEqual(steps.content, text("done"))
        if (era === "compat") {
          assert.deepStrictEqual((yield* rawResult(one, "task_show", { id: 1 })).structuredContent, {
            id: 1,
            title: "Hamlet"
          })
          return
        }
        const call = { name: "task_show", arguments: { id: 1 } }
        assert.deepStrictEqual(yield* errorOf(one, "tools/call", call), {
          code: -32021,
          message: `task_show needs a client that declares the extension ${extension}`,
          data: missing
        })
      }),
    { needs: ["state"] }
  )

  test(
    "TASK-02 TASK-20: are nothing that a client asks for, and nothing of a session",
    ({ connect, era }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const call = { name: "noargs", arguments: {}, task: { ttl: 60_000 } }
        assert.deepStrictEqual((yield* resultOf(one, "tools/call", call)).content, text("ok"))
        for (const method of ["tasks/list", "tasks/result", ...(era === "compat" ? methods : [])]) {
          assert.strictEqual((yield* errorOf(one, method, { taskId: "t" })).code, -32601)
        }
      }),
    { needs: ["state"] }
  )

  test(
    "TASK-09 D4: are completed with what the tool says, also where that is an error, and fail where the call does",
    ({ connect, logs }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const outcome = (name: string, args: object) =>
          Effect.flatMap(begun(one, name, args), (taskId) => ended(one, taskId))
        const shown = yield* outcome("task_show", { id: 1 })
        assert.deepStrictEqual(shown.result.structuredContent, { id: 1, title: "Hamlet" })
        const declared = yield* outcome("task_show", { id: 9 })
        assert.deepInclude(declared, { status: "completed" })
        assert.deepInclude(declared.result, {
          isError: true,
          structuredContent: { _tag: "ShowNotFound", id: 9 },
          content: text("There is no show 9")
        })
        const late = yield* outcome("task_endless", {})
        assert.deepInclude(late.result, { isError: true, content: text("task_endless gave up after 20 ms") })
        const unfit = yield* outcome("task_strict", { n: "x" })
        assert.deepInclude(unfit, { status: "failed", statusMessage: unfit.error.message })
        assert.strictEqual(unfit.error.code, -32602)
        for (const how of ["throw", "die", "output"]) {
          const broken = yield* outcome("task_boom", { how })
          assert.deepInclude(broken, { status: "failed", statusMessage: broken.error.message })
          assert.strictEqual(broken.error.code, -32603)
          const [, reference = "none"] = /reference (\w+)/.exec(broken.error.message) ?? []
          assert.isUndefined(broken.result)
          assert.include(logs(), reference)
        }
      }),
    { era: "native", needs: ["state", "defects"] }
  )

  test(
    "TASK-12: are cancelled by their id: the handler is interrupted, and that is final",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        for (const [name, told] of [
          ["task_hold", "interrupted"],
          ["task_watch", "aborted"]
        ]) {
          const gate = `gate of ${name}`
          const taskId = yield* begun(one, name ?? "", { gate })
          yield* happened(one, `began ${gate}`)
          for (const _ of [1, 2]) {
            const cancelled = yield* ask(one, "tasks/cancel", { taskId })
            const { _meta, ...rest } = cancelled["result"]
            assert.deepStrictEqual(rest, { resultType: "complete" })
          }
          yield* happened(one, `${told} ${gate}`)
          yield* happened(one, `ended ${gate}`)
          assert.strictEqual((yield* ended(one, taskId)).status, "cancelled")
          yield* ask(one, "tasks/cancel", { taskId })
          assert.strictEqual((yield* got(one, taskId)).status, "cancelled")
        }
      }),
    { era: "native", needs: ["state"] }
  )

  test(
    "TASK-13: go on when the request that became one is cancelled or its connection closes",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const call = yield* rawCall(one, "task_hold", { gate: "left" })
        const { taskId } = (yield* call.answer)["result"]
        yield* call.cancel
        assert.strictEqual((yield* got(one, taskId)).status, "working")
        yield* open("left")
        assert.strictEqual((yield* ended(one, taskId)).status, "completed")
      }),
    { era: "native", needs: ["state"] }
  )

  test(
    "TASK-14: are -32602 where there is none of this id, and -32021 for clients that do not declare them",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        for (const method of methods) {
          const error = yield* errorOf(one, method, { taskId: "gone", inputResponses: {} })
          assert.deepStrictEqual(error, {
            code: -32602,
            message: 'There is no task "gone" here, or its time is over'
          })
        }
        const two = yield* connect({})
        const filter = { notifications: { taskIds: [] } }
        for (const [method, params] of [
          ...methods.map((method) => [method, { taskId: "gone", inputResponses: {} }] as const),
          ["subscriptions/listen", filter] as const
        ]) {
          const { code, data } = yield* errorOf(two, method, params)
          assert.deepStrictEqual([code, data], [-32021, missing])
        }
      }),
    { era: "native", needs: ["state", "clients"] }
  )

  test(
    "TASK-14: have an id that is text, and answers that are an object",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const taskId = yield* begun(one, "task_ask")
        for (const inputResponses of [undefined, null, [], "first"]) {
          assert.strictEqual((yield* errorOf(one, "tasks/update", { taskId, inputResponses })).code, -32602)
        }
        yield* ask(one, "tasks/cancel", { taskId })
        for (const notifications of [{ taskIds: taskId }, { taskIds: [1] }]) {
          assert.strictEqual((yield* errorOf(one, "subscriptions/listen", { notifications })).code, -32602)
        }
      }),
    { era: "native", needs: ["state"] }
  )

  test(
    "TASK-08 TASK-10 TASK-11: wait for answers to what they ask, which may come one by one",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const taskId = yield* begun(one, "task_ask")
        const update = (inputResponses: object) => ask(one, "tasks/update", { taskId, inputResponses })
        const { inputRequests } = yield* until(one, taskId, "input_required")
        assert.deepStrictEqual(Object.keys(inputRequests), ["first", "second"])
        assert.deepStrictEqual(inputRequests.first, {
          method: "elicitation/create",
          params: {
            message: "first",
            requestedSchema: { type: "object", properties: { said: { type: "string" } }, required: ["said"] }
          }
        })
        const ignored = (yield* update({ third: 7 }))["result"]
        assert.strictEqual(ignored.resultType, "complete")
        for (const wrong of [{ action: "accept", content: {} }, "yes", { action: "perhaps" }]) {
          const refused = yield* update({ first: accept("one"), second: wrong })
          assert.strictEqual(refused["error"].code, -32602)
          assert.include(refused["error"].message, '"second"')
        }
        assert.deepStrictEqual((yield* got(one, taskId)).inputRequests, inputRequests)
        yield* update({ first: accept("one") })
        assert.deepStrictEqual((yield* got(one, taskId)).inputRequests, { second: inputRequests.second })
        yield* update({ first: accept("again"), second: accept("two") })
        const { result } = yield* ended(one, taskId)
        assert.deepStrictEqual(result.content, text("one and two"))
        assert.strictEqual((yield* update({ first: accept("late") }))["result"].resultType, "complete")
      }),
    { era: "native", needs: ["state"] }
  )

  test(
    "TASK-07: may begin after rounds of questions, and go on with what was answered",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const answered = (name: string) =>
          Effect.gen(function* () {
            const round = yield* ask(one, "tools/call", { name, arguments: {} })
            const { inputRequests, requestState, resultType, taskId: none } = round["result"]
            assert.deepStrictEqual(
              [resultType, Object.keys(inputRequests), none],
              ["input_required", ["before"], undefined]
            )
            const params = { name, arguments: {}, requestState, inputResponses: { before: accept("red") } }
            const { result } = yield* ask(one, "tools/call", params)
            assert.deepStrictEqual([result.resultType, result.requestState], ["task", undefined])
            return result.taskId
          })
        const taskId = yield* answered("task_later")
        const { inputRequests } = yield* until(one, taskId, "input_required")
        assert.deepStrictEqual(Object.keys(inputRequests), ["after"])
        yield* ask(one, "tasks/update", { taskId, inputResponses: { after: accept("blue") } })
        assert.deepStrictEqual((yield* ended(one, taskId)).result.content, text("red, then blue"))
        const other = yield* ended(one, yield* answered("task_later_async"))
        assert.deepStrictEqual(other.result.content, text("accept"))
      }),
    { era: "native", needs: ["state", "ask"] }
  )

  test(
    "TASK-15: are told of as they stand, at once and on every change, to those who listen for them",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const taskId = yield* begun(one, "task_hold", { gate: "heard" })
        const { id, seen } = yield* hearing(one, { taskIds: [taskId, taskId, "none"] })
        const acknowledged = seen.events.find(({ params }) => params?.notifications !== undefined)
        assert.deepStrictEqual(acknowledged?.["params"].notifications, { taskIds: [taskId] })
        const status = (wanted: string) =>
          Effect.promise(() =>
            seen.first(({ method, params }) => method === "notifications/tasks" && params.status === wanted)
          )
        const working = (yield* status("working"))["params"]
        assert.strictEqual(working._meta["io.modelcontextprotocol/subscriptionId"], id)
        yield* open("heard")
        const { _meta, ...told } = (yield* status("completed"))["params"]
        assert.deepStrictEqual(told, { ttlMs: 60_000, ...(yield* got(one, taskId)) })
        assert.deepStrictEqual(told.result.content, text("heard"))
      }),
    { era: "native", needs: ["state", "notifications"] }
  )

  test(
    "TASK-16: send no progress and no log messages; how far they are is said by their status",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const meta = { progressToken: "p", "io.modelcontextprotocol/logLevel": "debug" }
        const call = yield* rawCall(one, "task_steps", { gate: "told" }, meta)
        const { taskId } = (yield* call.answer)["result"]
        const { statusMessage } = yield* got(one, taskId)
        assert.strictEqual(statusMessage, "step 3")
        yield* open("told")
        assert.isUndefined((yield* ended(one, taskId)).statusMessage)
        assert.deepStrictEqual(notifications(call), [])
      }),
    { era: "native", needs: ["state"] }
  )

  test(
    "TASK-08: end with the server, which runs their finalizers",
    ({ connect, stop }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        yield* begun(one, "task_hold", { gate: "never" })
        yield* happened(one, "began never")
        yield* stop
      }),
    { era: "native", needs: ["state", "stop"] }
  )
})

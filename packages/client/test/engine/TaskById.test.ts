/**
 * Tasks by their ids: how a session comes back to one, and what it asks of a server that has none.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { ClientRequest } from "@treadle/protocol/schema"
import type { McpSession, TaskOptions } from "../../src/index.ts"
import { getShow, reasonOf, result, textResult } from "../fixtures.ts"
import { everything } from "../played.ts"
import { asks, completed, extension, facts, native, tasking, working } from "../tasking.ts"

/** What a server declares that has tasks. */
const capabilities = { ...everything, extensions: { [extension]: {} } }

const show = { id: 1, title: "Hamlet" }
const text = (said: string) => [{ type: "text" as const, text: said }]

const made = { content: [], structuredContent: show }

/** A way back to a task. */
type Way = (session: McpSession) => (taskId: string, options?: TaskOptions) => Effect.Effect<unknown, unknown>

const ways: ReadonlyArray<readonly [string, Way]> = [
  ["session.task", (session) => session.task(getShow)],
  ["session.toolTask", (session) => (taskId, options) => session.toolTask("get_show", taskId, options)]
]

const gives = [
  ["session.task", show],
  ["session.toolTask", made]
] as const

describe.each(ways)("%s", (name, way) => {
  it.effect("TASK-18: gives what the call would have given, in another session", () =>
    Effect.gen(function* () {
      const { another, of } = yield* native(tasking(working(), completed(made)), { over: "http", capabilities })
      const told: Array<string> = []
      const later: McpSession = yield* another()
      const outcome = way(later)("t-1", { onTask: ({ status }) => told.push(status) })
      assert.deepStrictEqual<unknown>(yield* outcome, new Map<string, object>(gives).get(name))
      assert.deepStrictEqual(told, ["completed"])
      assert.deepStrictEqual(of("tools/call"), [])
    })
  )

  it.effect("leaves the task as it is when nobody waits any more", () =>
    Effect.gen(function* () {
      const { heard, of, session } = yield* native(tasking(working(), working()), { capabilities })
      const fiber = yield* Effect.forkChild(way(session)("t-1"), { startImmediately: true })
      yield* heard("tasks/get")
      yield* Fiber.interrupt(fiber)
      yield* session.listTools().pipe(Effect.ignore)
      assert.deepStrictEqual(of("tasks/cancel"), [])
    })
  )

  it.effect("TASK-01: asks nothing of a server that declares no tasks", () =>
    Effect.gen(function* () {
      const { of, session } = yield* native(tasking(working(), working()))
      assert.deepInclude(yield* reasonOf(way(session)("t-1")), {
        _tag: "NotOffered",
        message: `the server does not offer extensions.${extension}; it was not asked`
      })
      assert.deepStrictEqual(of("tasks/get"), [])
    })
  )
})

describe("session.toolTask", () => {
  it.effect("gives a result as it came, a failed one included", () =>
    Effect.gen(function* () {
      const failed = textResult("sold out", { isError: true })
      const { session } = yield* native(tasking(working(), completed(failed)), { capabilities })
      assert.deepInclude(yield* session.toolTask("x", "t-1"), { isError: true, content: text("sold out") })
    })
  )

  it.effect("TASK-14: fails with TaskLost where the server knows no such task, and names the tool", () =>
    Effect.gen(function* () {
      const { session } = yield* native(tasking(working(), { code: -32602 }), { capabilities })
      const error = yield* Effect.flip(session.toolTask("print", "t-1"))
      assert.deepInclude(error.reason, { _tag: "TaskLost", why: "unknown", taskId: "t-1" })
      assert.match(
        error.message,
        /^tools\/call "print" at .*: task "t-1" is lost: no such task; call again if that does no harm$/
      )
    })
  )
})

describe("session.request", () => {
  it.effect("TASK-04: waits for the task that its request became, and answers what it asks", () =>
    Effect.gen(function* () {
      const done = { ...facts, status: "completed" }
      const { of, session } = yield* native(tasking(done, asks("a"), completed(textResult("made"))), {
        settings: { answers: { form: () => ({ action: "accept" }) } },
        over: "http"
      })
      assert.deepInclude(yield* session.request(ClientRequest.callTool("x")), { content: text("made") })
      assert.strictEqual(of("tasks/update").length, 1)
    }).pipe(TestClock.withLive)
  )

  it.effect("MRTR-11: answers what is asked before its request goes on", () =>
    Effect.gen(function* () {
      const { of, session } = yield* native(
        ({ id, params }) =>
          result(
            id,
            params.requestState === undefined
              ? { resultType: "input_required", inputRequests: asks("a").inputRequests, requestState: "one" }
              : { resultType: "complete", messages: [] }
          ),
        { settings: { answers: { form: () => ({ action: "accept" }) } } }
      )
      assert.deepStrictEqual((yield* session.request(ClientRequest.getPrompt("p"))).messages, [])
      assert.strictEqual(of("prompts/get").length, 2)
    })
  )

  it.effect("TASK-01: of a task goes to no server that declares none", () =>
    Effect.gen(function* () {
      const { sent, session } = yield* native(tasking(working()))
      for (const request of [
        ClientRequest.getTask("t-1"),
        ClientRequest.updateTask("t-1", {}),
        ClientRequest.cancelTask("t-1")
      ]) {
        assert.strictEqual((yield* reasonOf(session.request(request)))._tag, "NotOffered")
      }
      assert.deepStrictEqual(
        sent.events.map(({ method }) => method),
        ["server/discover"]
      )
    })
  )
})

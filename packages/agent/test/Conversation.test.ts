import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { AuthenticationError } from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import { assert, describe, it } from "@effect/vitest"
import {
  Agent,
  ConversationClosed,
  ConversationFull,
  Server,
  type AgentDefinition,
  type Conversation
} from "@treadle/agent"
import { AgentTest, type Seen, type TurnLike } from "@treadle/agent/test"
import { kb, note, search } from "./kb.ts"
import { until } from "./until.ts"
import { native, serving, tool } from "./wire.ts"

const agent = (more: Partial<Omit<AgentDefinition, "model">> = {}) =>
  Agent.make({ name: "helper", instruction: "You help.", servers: { kb }, ...more })

/** A conversation, and the scope that ends it. */
const opened = (turns: ReadonlyArray<TurnLike>, more: Parameters<typeof agent>[0] = {}, signal?: AbortSignal) =>
  Effect.gen(function* () {
    const model = yield* Layer.build(AgentTest.script(...turns))
    const scope = yield* Scope.make()
    const conversation = yield* Effect.provideService(
      Effect.provideContext(Agent.session(agent(more), signal === undefined ? {} : { signal }), model),
      Scope.Scope,
      scope
    )
    return { conversation, close: Scope.close(scope, Exit.void) }
  })

/** What was said by people and answered, in order. */
const spoken = (seen: Seen): ReadonlyArray<string> =>
  seen.messages
    .filter(({ role }) => role === "user" || role === "assistant")
    .flatMap(({ content }) =>
      typeof content === "string" ? [content] : content.flatMap((part) => (part.type === "text" ? [part.text] : []))
    )

/** Every call in the transcript has its result right after it. */
const whole = (seen: Seen): void => {
  for (const [index, { content, role }] of seen.messages.entries()) {
    if (role !== "assistant" || typeof content === "string") continue
    const calls = content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))
    const next = seen.messages[index + 1]
    const results =
      next?.role === "tool" ? next.content.flatMap((part) => (part.type === "tool-result" ? [part.id] : [])) : []
    assert.deepStrictEqual(results, calls)
  }
}

/** Lets everything go on that can. */
const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Outcomes as they come, from now on. */
const listening = <A>(conversation: Conversation<A>) =>
  Effect.gen(function* () {
    const heard: Array<string> = []
    const fiber = yield* Effect.forkChild(
      Stream.runForEach(conversation.turns, ({ error, status, text }) =>
        Effect.sync(() => heard.push(error === undefined ? `${status}: ${text}` : `${status}: ${error}`))
      ),
      { startImmediately: true }
    )
    return { heard, fiber }
  })

describe("a conversation", () => {
  it.effect("answers messages one after another over one transcript, each with budgets of its own (A91)", () =>
    Effect.gen(function* () {
      const { conversation } = yield* opened(
        [
          AgentTest.call(search, { query: "a" }),
          AgentTest.say("one"),
          AgentTest.call(search, { query: "a" }),
          (seen) => {
            assert.deepStrictEqual(spoken(seen), ["first", "one", "second"])
            return AgentTest.say("two")
          }
        ],
        { limits: { steps: 2, tokens: 31 } }
      )
      const first = yield* conversation.say("first")
      const second = yield* conversation.say("second")
      assert.deepStrictEqual([first.text, second.text], ["one", "two"])
      assert.deepStrictEqual([first.calls(search).length, second.calls(search).length], [1, 1])
      assert.deepStrictEqual(second.usage, { input: 20, output: 10, steps: 2 })
      assert.strictEqual(first.runId, conversation.runId)
      assert.deepStrictEqual(yield* conversation.status, { turns: 2, awaiting: 0, busy: false })
    })
  )

  it.effect("keeps messages in their order, and says how many wait (A91)", () =>
    Effect.gen(function* () {
      let go = () => {}
      const gate = new Promise<void>((resolve) => (go = resolve))
      const gated = {
        options: {},
        parts: () =>
          Effect.as(
            Effect.promise(() => gate),
            [{ type: "text", text: "1" }]
          )
      }
      const echo: TurnLike = (seen) => AgentTest.say(`re: ${seen.task}`)
      const { conversation } = yield* opened([gated as TurnLike, echo, echo, echo])
      const { heard } = yield* listening(conversation)
      const acks = []
      for (const message of ["a", "b", "c"]) acks.push(yield* conversation.deliver(message))
      const last = yield* Effect.forkChild(conversation.say("d"), { startImmediately: true })
      assert.deepStrictEqual(acks, [
        { turns: 0, awaiting: 1 },
        { turns: 0, awaiting: 2 },
        { turns: 0, awaiting: 3 }
      ])
      assert.deepStrictEqual(yield* conversation.status, { turns: 0, awaiting: 4, busy: true })
      go()
      assert.strictEqual((yield* Fiber.join(last)).text, "re: d")
      yield* until(() => heard.length === 4)
      assert.deepStrictEqual(heard, ["completed: 1", "completed: re: b", "completed: re: c", "completed: re: d"])
      assert.deepStrictEqual(yield* conversation.status, { turns: 4, awaiting: 0, busy: false })
    })
  )

  it.effect("refuses a message where 64 wait, and takes some again once one is answered", () =>
    Effect.gen(function* () {
      let asked = 0
      const hanging = () => {
        asked++
        return AgentTest.hang
      }
      const { close, conversation } = yield* opened([hanging, hanging])
      for (let message = 0; message < 64; message++) yield* conversation.deliver("x")
      const full = yield* Effect.flip(conversation.deliver("x"))
      assert.instanceOf(full, ConversationFull)
      assert.strictEqual(full.message, "the message is not queued: 64 wait already. Let some be answered first")
      yield* conversation.cancel
      yield* until(() => asked === 2)
      assert.deepStrictEqual(yield* conversation.deliver("x"), { turns: 1, awaiting: 65 })
      yield* close
    })
  )

  it.effect("cancels the turn under way, and answers the next over a transcript that is whole (A148)", () =>
    Effect.gen(function* () {
      const hanging = AgentTest.recording(kb, (request) => (request.tool === "note" ? AgentTest.hanging : undefined))
      const { conversation } = yield* opened(
        [
          AgentTest.together(AgentTest.call(search, { query: "a" }), AgentTest.call(note, { text: "b" })),
          (seen) => {
            whole(seen)
            assert.deepStrictEqual(
              seen.results.map(({ isError }) => isError),
              [false, true]
            )
            return AgentTest.say("still here")
          }
        ],
        { servers: { kb: hanging } }
      )
      const said = yield* Effect.forkChild(conversation.say("go"))
      yield* until(() => hanging.calls(note).length === 1)
      yield* conversation.cancel
      assert.deepInclude(yield* Fiber.join(said), { status: "cancelled", partial: true })
      assert.strictEqual((yield* conversation.say("and now?")).text, "still here")
      yield* conversation.cancel
    })
  )

  it.effect("goes on over a whole transcript where whoever said something no longer waits for it (A148)", () =>
    Effect.gen(function* () {
      const hangs = AgentTest.recording(kb, ({ method }) => (method === "tools/call" ? AgentTest.hanging : undefined))
      const { conversation } = yield* opened(
        [
          AgentTest.call(search, { query: "a" }),
          (seen) => {
            whole(seen)
            assert.deepStrictEqual(spoken(seen), ["first", "second"])
            return AgentTest.say("two")
          }
        ],
        { servers: { kb: hangs } }
      )
      const first = yield* Effect.forkChild(conversation.say("first"), { startImmediately: true })
      yield* until(() => hangs.calls(search).length === 1)
      yield* Fiber.interrupt(first)
      assert.strictEqual((yield* conversation.say("second")).text, "two")
    })
  )

  it.effect("goes on over a whole transcript after a turn that a budget ended (A148)", () =>
    Effect.gen(function* () {
      const { conversation } = yield* opened(
        [
          AgentTest.call(note, { text: "1" }),
          AgentTest.call(note, { text: "2" }),
          (seen) => {
            whole(seen)
            return AgentTest.say("done")
          }
        ],
        { limits: { steps: 2 } }
      )
      assert.strictEqual((yield* conversation.say("go")).status, "exhausted_steps")
      assert.strictEqual((yield* conversation.say("go on")).text, "done")
    })
  )

  it.effect("that interrupts one who waits leaves the turn under way, and those behind it, alone", () =>
    Effect.gen(function* () {
      const { conversation } = yield* opened([AgentTest.after(1_000, AgentTest.say("one")), AgentTest.say("three")])
      const { heard } = yield* listening(conversation)
      const one = yield* Effect.forkChild(conversation.say("1"), { startImmediately: true })
      const two = yield* Effect.forkChild(conversation.say("2"), { startImmediately: true })
      const three = yield* Effect.forkChild(conversation.say("3"), { startImmediately: true })
      yield* turn
      yield* Fiber.interrupt(two)
      assert.deepStrictEqual(yield* conversation.status, { turns: 0, awaiting: 2, busy: true })
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual([(yield* Fiber.join(one)).text, (yield* Fiber.join(three)).text], ["one", "three"])
      yield* until(() => heard.length === 2)
      assert.deepStrictEqual(heard, ["completed: one", "completed: three"])
    })
  )

  it.effect("is told of a turn whose sayer left as cancelled, and goes on", () =>
    Effect.gen(function* () {
      const { conversation } = yield* opened([AgentTest.hang, AgentTest.say("two")])
      const { heard } = yield* listening(conversation)
      const one = yield* Effect.forkChild(conversation.say("1"), { startImmediately: true })
      yield* turn
      yield* Fiber.interrupt(one)
      assert.strictEqual((yield* conversation.say("2")).text, "two")
      yield* until(() => heard.length === 2)
      assert.deepStrictEqual(heard, ["cancelled: ", "completed: two"])
    })
  )

  it.effect("goes on after a turn that failed of a server, which its listeners are told", () =>
    Effect.gen(function* () {
      const server = yield* serving(native({ tools: [tool("x")], call: (_, reply) => reply.destroy() }))
      const calls = [1, 2, 3].map((n) => AgentTest.callNamed("x", { n }))
      const { conversation } = yield* opened([...calls, AgentTest.say("better")], {
        servers: { box: server.url }
      })
      const { heard } = yield* listening(conversation)
      const failed = yield* Effect.flip(conversation.say("1"))
      assert.strictEqual(failed.reason._tag, "RequiredServerDown")
      assert.strictEqual((yield* conversation.say("2")).text, "better")
      yield* until(() => heard.length === 2)
      assert.match(heard[0] ?? "", /^failed: agent "helper": its server "box" is not there/)
      assert.strictEqual(heard[1], "completed: better")
      assert.deepStrictEqual(yield* conversation.status, { turns: 2, awaiting: 0, busy: false })
    })
  )

  it.effect("waits eight times for a model that is not there, and keeps what was said (A157)", () =>
    Effect.gen(function* () {
      const { conversation } = yield* opened([
        ...Array.from({ length: 9 }, () => AgentTest.fail()),
        ...Array.from({ length: 8 }, () => AgentTest.fail()),
        (seen) => {
          assert.deepStrictEqual(spoken(seen), ["are you there?", "hello?"])
          return AgentTest.say("back again")
        }
      ])
      const first = yield* Effect.forkChild(conversation.say("are you there?"))
      // 1 + 2 + 4 + 8 + 16 + 30 + 30 + 30 seconds, a quarter more at most.
      yield* TestClock.adjust(121_000 * 0.75 - 1_000)
      assert.isUndefined(first.pollUnsafe())
      yield* TestClock.adjust(121_000 * 0.5 + 1_000)
      const failed = yield* Fiber.join(first)
      assert.strictEqual(failed.status, "failed")
      assert.include(failed.error, "TransportError")
      const second = yield* Effect.forkChild(conversation.say("hello?"))
      yield* TestClock.adjust(152_000)
      assert.strictEqual((yield* Fiber.join(second)).text, "back again")
    })
  )

  it.effect("does not wait for a model that refuses its key, and a single run waits for none (A157)", () =>
    Effect.gen(function* () {
      const denied = new AuthenticationError({ kind: "InvalidKey" })
      const { conversation } = yield* opened([AgentTest.fail(denied)])
      assert.strictEqual((yield* conversation.say("hello")).status, "failed")
      const failed = yield* Effect.flip(Effect.provide(Agent.run(agent(), "Go"), AgentTest.script(AgentTest.fail())))
      assert.strictEqual(failed.reason._tag, "IntelligenceUnavailable")
    })
  )

  it.effect("ends with its scope: turns end as cancelled, those that wait too, and so does the stream of turns", () =>
    Effect.gen(function* () {
      const hanging = AgentTest.recording(kb, (request) => (request.tool === "note" ? AgentTest.hanging : undefined))
      const { close, conversation } = yield* opened([AgentTest.call(note, { text: "a" })], { servers: { kb: hanging } })
      const { fiber, heard } = yield* listening(conversation)
      const said = yield* Effect.forkChild(conversation.say("1"), { startImmediately: true })
      const waiting = yield* Effect.forkChild(conversation.say("2"), { startImmediately: true })
      yield* until(() => hanging.calls(note).length === 1)
      yield* close
      assert.strictEqual((yield* Fiber.join(said)).status, "cancelled")
      assert.strictEqual((yield* Fiber.join(waiting)).status, "cancelled")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(heard, ["cancelled: ", "cancelled: "])
      assert.include(hanging.cancelled, "tools/call")
      assert.strictEqual((yield* conversation.say("3")).status, "cancelled")
      assert.deepStrictEqual(yield* Stream.runCollect(conversation.turns), [])
    })
  )

  it.effect("takes no message once it is closed", () =>
    Effect.gen(function* () {
      const { close, conversation } = yield* opened([])
      yield* close
      const closed = yield* Effect.flip(conversation.deliver("x"))
      assert.strictEqual(closed.message, "the message is not queued: the conversation is closed. Open another one")
      assert.instanceOf(closed, ConversationClosed)
      assert.strictEqual((yield* conversation.say("x")).status, "cancelled")
    })
  )

  it.effect("tells of a defect in a turn that nobody waits for: in its stream and in the log, and goes on", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      // A script would fail the test of such a turn.
      let asked = 0
      const model = yield* LanguageModel.make({
        generateText: () =>
          asked++ === 0 ? Effect.die(new Error("boom")) : Effect.succeed([{ type: "text", text: "better" }]),
        streamText: () => Stream.empty
      })
      const conversation = yield* Effect.provideService(Agent.session(agent()), LanguageModel.LanguageModel, model)
      const heard = yield* Effect.forkChild(Effect.exit(Stream.runDrain(conversation.turns)), {
        startImmediately: true
      })
      yield* Effect.provide(conversation.deliver("1"), Logger.layer([logger]))
      const exit = yield* Fiber.join(heard)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual((yield* conversation.say("2")).text, "better")
      assert.match(logged.join(), /A turn of a conversation broke down/)
    })
  )

  it.effect("ends its turns where its signal is aborted", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const { conversation } = yield* opened([AgentTest.hang], {}, controller.signal)
      const said = yield* Effect.forkChild(conversation.say("1"), { startImmediately: true })
      yield* turn
      controller.abort()
      assert.strictEqual((yield* Fiber.join(said)).status, "cancelled")
      assert.strictEqual((yield* conversation.say("2")).status, "cancelled")
    })
  )

  it.effect("is one of two hundred over the same servers, and each has a transcript of its own", () =>
    Effect.gen(function* () {
      const counted = AgentTest.recording(kb)
      const turns: ReadonlyArray<TurnLike> = Array.from(
        { length: 400 },
        (): TurnLike => (seen) =>
          seen.results.length === 0
            ? AgentTest.call(search, { query: seen.task })
            : AgentTest.say(`${seen.task}: ${seen.last(search)?.[0]}`)
      )
      const outcomes = yield* Effect.provide(
        Effect.gen(function* () {
          const connected = yield* Agent.connect(agent({ servers: { kb: Server.inProcess(counted) } }))
          const all = yield* Effect.all(Array.from({ length: 200 }, () => connected.session()))
          return yield* Effect.all(
            all.map((one, index) => one.say(`q${index}`)),
            { concurrency: "unbounded" }
          )
        }),
        AgentTest.script(...turns)
      )
      for (const [index, { text }] of outcomes.entries()) {
        assert.strictEqual(text, `q${index}: Rule 7: no force pushes (q${index})`)
      }
      assert.strictEqual(new Set(outcomes.map(({ runId }) => runId)).size, 200)
      assert.strictEqual(counted.methods.filter((method) => method === "tools/list").length, 1)
    })
  )
})

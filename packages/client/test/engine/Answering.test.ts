import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { Recorder } from "@treadle/testing"
import { decline, type Answers, type Asker } from "../../src/index.ts"
import { askOver, channels, type Heard, type Question } from "../channels.ts"
import { compatLines, piped } from "../farEnd.ts"
import { ping, reasonOf, result, textResult } from "../fixtures.ts"

const seats: Question = {
  method: "elicitation/create",
  params: {
    message: "Which seats?",
    requestedSchema: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 2 },
        seats: { type: "integer", minimum: 1, default: 2 },
        row: { type: "string", enum: ["A", "B"], default: "A" }
      },
      required: ["name"]
    }
  }
}

const page: Question = {
  method: "elicitation/create",
  params: { mode: "url", message: "Pay", url: "https://pay.example/7", elicitationId: "e7" }
}

const joke: Question = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "A joke" } }], maxTokens: 10 }
}

const folders: Question = { method: "roots/list" }

const completion = { role: "assistant", content: { type: "text", text: "no" }, model: "m" } as const

/** Asks over every channel; each gets this result. */
const everywhere = (question: Question, answers: Answers, expected: object) =>
  Effect.forEach(channels, (channel) =>
    Effect.map(askOver(channel, question, answers), (heard) =>
      assert.deepStrictEqual(heard.result, expected, `${channel.name}: ${JSON.stringify(heard)}`)
    )
  )

/** Asks over every channel; each is refused: with this code, or with `InputRefused` and what the error says. */
const refused = (question: Question, answers: Answers, code: number, says: string) =>
  Effect.forEach(channels, (channel) =>
    // Without answers there is no stream of the server's own.
    channel.name === "the server's own stream" && Object.keys(answers).length === 0
      ? Effect.void
      : Effect.map(askOver(channel, question, answers), ({ error, reason }: Heard) => {
          if (channel.era === "compat")
            assert.deepStrictEqual([error?.code, error?.message], [code, says], channel.name)
          else assert.strictEqual(reason?.message, `it needs input that was not given: ${question.method} (${says})`)
        })
  )

describe("a form", () => {
  it.effect("ELIC-06 B092: is sent as it was accepted, with the defaults of what was left out", () =>
    Effect.gen(function* () {
      const form: Answers["form"] = () => ({ action: "accept", content: { name: "Ann", row: "B" } })
      const content = { name: "Ann", seats: 2, row: "B" }
      yield* everywhere(seats, { form }, { action: "accept", content })
      const empty = {
        ...seats,
        params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } }
      }
      yield* everywhere(empty, { form: () => ({ action: "accept" }) }, { action: "accept", content: {} })
    })
  )

  it.effect("ELIC-07 B092: that is declined or cancelled says so, and carries nothing", () =>
    Effect.gen(function* () {
      yield* everywhere(seats, { form: decline }, { action: "decline" })
      const form: Answers["form"] = () => ({ action: "cancel", content: { name: "Ann" } })
      yield* everywhere(seats, { form }, { action: "cancel" })
    })
  )

  it.effect("ELIC-06 B092: whose content does not fit is not sent: the request is refused", () =>
    Effect.gen(function* () {
      const misfits: ReadonlyArray<readonly [Record<string, string | number>, string]> = [
        [{}, "name: it is required"],
        [{ name: "A" }, "name: it must have 2 to any number of characters"],
        [{ name: "Ann", row: "C" }, "row: it must be one of A, B"]
      ]
      for (const [content, problem] of misfits) {
        const form: Answers["form"] = () => ({ action: "accept", content })
        yield* refused(seats, { form }, -32603, `The client's answer does not fit the form: ${problem}`)
      }
    })
  )

  it.effect("is given to the handler as it was asked, with who asks", () =>
    Effect.gen(function* () {
      for (const channel of channels) {
        const seen: Array<unknown> = []
        let asker: Asker | undefined
        const form: Answers["form"] = (request, from) => {
          seen.push(request)
          asker = from
          return { action: "cancel" }
        }
        yield* askOver(channel, seats, { form })
        assert.deepStrictEqual(seen, [seats.params])
        const known = channel.name === "a native round" || channel.name === "the stream of the call"
        assert.strictEqual(asker?.method, known ? "tools/call" : undefined, channel.name)
        assert.strictEqual(asker?.name, known ? "x" : undefined)
        assert.strictEqual(asker?.signal.aborted, false)
      }
    })
  )
})

describe("a page, a completion and folders", () => {
  it.effect("ELIC-12: a page is visited or not, and no content goes back", () =>
    Effect.gen(function* () {
      const url: Answers["url"] = ({ url }) => ({
        action: url === "https://pay.example/7" ? "accept" : "decline",
        content: {}
      })
      yield* everywhere(page, { url }, { action: "accept" })
      yield* everywhere(page, { url: decline }, { action: "decline" })
    })
  )

  it.effect("SAMP-01: a completion goes back as the model gave it", () =>
    Effect.gen(function* () {
      yield* everywhere(joke, { sampling: () => completion }, completion)
      const tools = { ...joke, params: { ...joke.params, tools: [{ name: "t", inputSchema: { type: "object" } }] } }
      yield* everywhere(tools, { sampling: () => completion, samplingParts: ["tools"] }, completion)
    })
  )

  it.effect("A19 ROOT-01: folders are listed, none included, from a list or a handler", () =>
    Effect.gen(function* () {
      yield* everywhere(folders, { roots: [] }, { roots: [] })
      const roots = [{ uri: "file:///box", name: "box" }]
      yield* everywhere(folders, { roots }, { roots })
      yield* everywhere(folders, { roots: () => Promise.resolve(roots) }, { roots })
    })
  )
})

describe("a question that was not declared", () => {
  it.effect("A20: has -32601 where there is no answer of that kind", () =>
    Effect.gen(function* () {
      for (const question of [seats, page, joke, folders]) {
        const says = `This client does not answer ${question.method}`
        yield* refused(question, {}, -32601, says)
        yield* refused(
          question,
          question === folders ? { form: decline } : question === joke ? { roots: [] } : { sampling: () => completion },
          -32601,
          says
        )
      }
    })
  )

  it.effect("A20: has -32601 where nobody knows the method; natively the whole result is none", () =>
    Effect.gen(function* () {
      for (const channel of channels) {
        const heard = yield* askOver(channel, { method: "box/office", params: {} }, { roots: [] })
        if (channel.era === "compat") assert.strictEqual(heard.error?.code, -32601)
        else assert.strictEqual(heard.reason?._tag, "Undecodable")
      }
    })
  )

  it.effect("ERR-14 SAMP-08: has -32602 where the kind was declared, but not the mode or the part", () =>
    Effect.gen(function* () {
      yield* refused(page, { form: decline }, -32602, `This client did not declare the mode "url"`)
      yield* refused(seats, { url: decline }, -32602, `This client did not declare the mode "form"`)
      for (const part of [{ tools: [] }, { toolChoice: { mode: "auto" } }]) {
        const question = { ...joke, params: { ...joke.params, ...part } }
        yield* refused(question, { sampling: () => completion }, -32602, "This client did not declare sampling.tools")
      }
    })
  )

  it.effect("has -32602 where its parameters are none", () =>
    Effect.gen(function* () {
      for (const channel of channels) {
        const heard = yield* askOver(
          channel,
          { method: "elicitation/create", params: { message: 5 } },
          { form: decline }
        )
        if (channel.era === "compat") assert.strictEqual(heard.error?.code, -32602)
        else assert.strictEqual(heard.reason?._tag, "Undecodable")
      }
    })
  )
})

describe("a handler", () => {
  it.effect("gives a value, a promise or an effect", () =>
    Effect.gen(function* () {
      const forms: ReadonlyArray<Answers["form"]> = [
        () => ({ action: "decline" }),
        async () => ({ action: "decline" }),
        () => Effect.succeed({ action: "decline" })
      ]
      for (const form of forms) if (form !== undefined) yield* everywhere(seats, { form }, { action: "decline" })
    })
  )

  it.effect("that throws, rejects, fails or gives no answer refuses the request, and says no more than that", () =>
    Effect.gen(function* () {
      const forms: ReadonlyArray<Answers["form"]> = [
        () => {
          throw new Error("a secret")
        },
        () => Promise.reject(new Error("a secret")),
        () => Effect.fail("a secret"),
        () => Effect.die("a secret"),
        () => Effect.interrupt,
        // As a handler in plain JavaScript may.
        () => undefined as never,
        () => ({ action: "perhaps" }) as never
      ]
      const says = "The client could not answer elicitation/create"
      for (const form of forms) if (form !== undefined) yield* refused(seats, { form }, -32603, says)
      yield* refused(folders, { roots: () => "none" as never }, -32603, "The client could not answer roots/list")
    })
  )
})

describe("the time in which a person answers", () => {
  it.effect("is bounded by `answerTimeout`: then the request is refused, and the clock of the call goes on", () =>
    Effect.gen(function* () {
      for (const channel of channels) {
        const asked = new Recorder<AbortSignal>()
        const form: Answers["form"] = (_, { signal }) => {
          asked.record(signal)
          return new Promise(() => {})
        }
        const settings = { answers: { form }, answerTimeout: 5000, ping: false } as const
        const { heard, session } = yield* channel.open(seats, settings)
        const fiber = yield* Effect.forkChild(Effect.result(session.callTool("x")), { startImmediately: true })
        const signal = yield* Effect.promise(() => asked.first(() => true))
        yield* TestClock.adjust(4999)
        assert.isFalse(signal.aborted, channel.name)
        yield* TestClock.adjust(1)
        yield* Fiber.join(fiber)
        assert.isTrue(signal.aborted, channel.name)
        if (session.era === "compat") assert.strictEqual(heard().error.code, -32603, channel.name)
      }
    })
  )

  it.effect("TIME-05 B092: is no time of the call, whose clock goes on afterwards", () =>
    Effect.gen(function* () {
      for (const channel of channels) {
        const asked = new Recorder<(answer: { action: "decline" }) => void>()
        const form = () => new Promise<{ action: "decline" }>((resolve) => asked.record(resolve))
        const { heard, session } = yield* channel.open(seats, { answers: { form }, timeout: 1000, ping: false })
        const fiber = yield* Effect.forkChild(session.callTool("x"), { startImmediately: true })
        const answer = yield* Effect.promise(() => asked.first(() => true))
        yield* TestClock.adjust(2000)
        assert.isUndefined(fiber.pollUnsafe(), channel.name)
        answer({ action: "decline" })
        assert.deepStrictEqual((yield* Fiber.join(fiber)).content, [{ type: "text", text: "done" }])
        assert.deepStrictEqual(heard().result, { action: "decline" })
      }
    })
  )

  it.effect("TIME-05: leaves the call what was left of its time", () =>
    Effect.gen(function* () {
      const asked = new Recorder<(answer: { action: "decline" }) => void>()
      const form = () => new Promise<{ action: "decline" }>((resolve) => asked.record(resolve))
      let ask = () => {}
      const { far, session } = yield* piped(
        compatLines((_, far) => {
          ask = () => far.send({ jsonrpc: "2.0", id: "q", ...seats })
        }),
        { answers: { form }, timeout: 1000 }
      )
      const fiber = yield* Effect.forkChild(reasonOf(session.callTool("x")), { startImmediately: true })
      yield* far.heard("tools/call")
      yield* TestClock.adjust(400)
      ask()
      const answer = yield* Effect.promise(() => asked.first(() => true))
      yield* TestClock.adjust(5000)
      answer({ action: "decline" })
      yield* Effect.promise(() => far.lines.first((line) => line.id === "q"))
      yield* TestClock.adjust(599)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "TimedOut", after: 1000 })
    })
  )
})

describe("a ping", () => {
  it.effect("A18 INIT-11: is answered with {}, also while a call runs, whatever is declared", () =>
    Effect.gen(function* () {
      for (const channel of channels) {
        if (channel.era === "native") continue
        const { result } = yield* askOver(channel, { method: "ping" }, { roots: [] })
        assert.deepStrictEqual(result, {}, channel.name)
      }
      const { far, session } = yield* piped(compatLines((line, far) => far.send(result(line.id, textResult("ok")))))
      far.send({ jsonrpc: "2.0", id: 7, method: "ping" })
      const answer = yield* Effect.promise(() => far.lines.first((line) => line.id === 7 && line.method === undefined))
      assert.deepStrictEqual(answer, { jsonrpc: "2.0", id: 7, result: {} })
      yield* session.call(ping)()
    })
  )
})

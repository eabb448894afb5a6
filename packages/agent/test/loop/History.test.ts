import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "@effect/vitest"
import type * as Prompt from "effect/ai/Prompt"
import { makePart, type AnyPart } from "effect/ai/Response"
import { planCompaction, plainSummary, summaryMessage } from "../../src/loop/Compaction.ts"
import { History, type ModelCall } from "../../src/loop/History.ts"
import { refusal, spoken } from "../../src/toolbox/Observation.ts"

const Id = Schema.Literals(["", "a", "b", "call", "call_1", "a_2"])

/** A call of a model, and what becomes of it. */
const Call = Schema.Struct({
  id: Id,
  provider: Schema.Boolean,
  ends: Schema.Literals(["answered", "failed", "twice", "cancelled", "under another id"])
})

/** What may happen to a transcript. */
const Happening = Schema.Union([
  Schema.Struct({ says: Schema.Literals(["do it", "x".repeat(300)]) }),
  Schema.Struct({
    text: Schema.Literals(["", "so far"]),
    /** Parts that models make up at times. */
    stray: Schema.Literals(["none", "result", "reasoning", "unended text"]),
    calls: Schema.Array(Call).check(Schema.isMaxLength(4)),
    sealed: Schema.Literals([1, 2])
  }),
  Schema.Struct({ window: Schema.Literals([40, 400]) })
])
type Happening = typeof Happening.Type

const history = Arbitrary.array(Arbitrary.schema(Happening), { minLength: 12, maxLength: 30 })

const stray = (kind: string): ReadonlyArray<AnyPart> => {
  switch (kind) {
    case "result":
      return [
        makePart("tool-result", {
          id: "made up",
          name: "x",
          isFailure: false,
          result: 1,
          encodedResult: 1,
          providerExecuted: false,
          preliminary: false
        })
      ]
    case "reasoning":
      return [makePart("reasoning", { text: "hm" })]
    case "unended text":
      return [makePart("text-start", { id: "t" }), makePart("text-delta", { id: "t", delta: "and so" })]
    default:
      return []
  }
}

const missing = refusal("[given up]")

const settle = (transcript: History, calls: ReadonlyArray<ModelCall>, ends: ReadonlyArray<string>): void => {
  for (const [index, { id }] of [...calls.entries()].toReversed()) {
    const end = ends[index]
    if (end === "answered") transcript.result(id, spoken(`of ${id}`))
    if (end === "failed") transcript.result(id, refusal(`of ${id}`))
    if (end === "under another id") transcript.result(`${id} of old`, spoken("late"))
    if (end === "twice") {
      transcript.result(id, spoken(`of ${id}`))
      transcript.result(id, spoken("late"))
    }
  }
}

const happen = (transcript: History, happening: Happening): void => {
  if ("says" in happening) return transcript.say(happening.says)
  if ("window" in happening) {
    const plan = planCompaction(transcript.messages, transcript.sizes, happening.window)
    if (plan !== undefined) transcript.shorten(plan.until, summaryMessage(plan, plainSummary(plan)))
    return
  }
  const { calls, sealed, text } = happening
  const parts: Array<AnyPart> = [
    ...(text === "" ? [] : [makePart("text", { text })]),
    ...stray(happening.stray),
    ...calls.map(({ id, provider }, index) =>
      makePart("tool-call", { id, name: "x", params: { index }, providerExecuted: provider })
    )
  ]
  const open = transcript.answered(parts)
  const own = calls.filter(({ provider }) => !provider)
  assert.strictEqual(open.length, own.length)
  settle(
    transcript,
    open,
    own.map(({ ends }) => ends)
  )
  const values = transcript.seal(missing, 100_000).map(({ value }) => value)
  assert.deepStrictEqual(
    values,
    open.map(({ id }, index) =>
      ["answered", "failed", "twice"].includes(own[index]?.ends ?? "") ? `of ${id}` : missing.value
    )
  )
  for (let count = 1; count < sealed; count++) assert.deepStrictEqual(transcript.seal(missing, 100_000), [])
}

type Parts = ReadonlyArray<Prompt.Part>

const partsOf = ({ content }: Prompt.Message): Parts => (typeof content === "string" ? [] : content)

const ownCalls = (parts: Parts) =>
  parts.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [part.id] : []))

const results = (parts: Parts) => parts.flatMap((part) => (part.type === "tool-result" ? [part.id] : []))

/** What every provider insists on. */
const isWhole = (messages: ReadonlyArray<Prompt.Message>): void => {
  const ids = messages.flatMap((message) => ownCalls(partsOf(message)))
  assert.strictEqual(new Set(ids).size, ids.length)
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1]
    if (message.role === "assistant") {
      const calls = ownCalls(partsOf(message))
      const given = next?.role === "tool" ? results(partsOf(next)) : []
      assert.deepStrictEqual(given, calls)
      assert.deepStrictEqual(results(partsOf(message)), [])
    }
    if (message.role === "tool") assert.strictEqual(messages[index - 1]?.role, "assistant")
  }
}

const startsWell = (messages: ReadonlyArray<Prompt.Message>, happenings: ReadonlyArray<Happening>): void => {
  const [first] = happenings
  // A transcript begins with a task; a random one may not, but shortening never makes it so.
  if (first !== undefined && "says" in first) assert.strictEqual(messages[0]?.role, "user")
}

describe("a transcript", () => {
  it.prop(
    "has one result for each call, in order and under its id, whatever was answered, cancelled and shortened (A42, A148, A152)",
    [history],
    ([happenings]) => {
      const transcript = new History()
      for (const happening of happenings) {
        happen(transcript, happening)
        isWhole(transcript.messages)
      }
      startsWell(transcript.messages, happenings)
      assert.strictEqual(transcript.sizes.length, transcript.messages.length)
    }
  )

  it("keeps the first result of a call, and forgets one that comes after its round", () => {
    const transcript = new History()
    transcript.say("Go")
    const call = (id: string) => makePart("tool-call", { id, name: "x", params: {}, providerExecuted: false })
    const [one] = transcript.answered([call("a")])
    transcript.result(one?.id ?? "", spoken("first"))
    transcript.result(one?.id ?? "", spoken("second"))
    assert.deepStrictEqual(
      transcript.seal(missing, 1_000).map(({ value }) => value),
      ["first"]
    )
    transcript.result(one?.id ?? "", spoken("late"))
    transcript.answered([call("a")])
    assert.deepStrictEqual(
      transcript.seal(missing, 1_000).map(({ value }) => value),
      ["[given up]"]
    )
  })

  it("keeps reasoning, and what its provider did itself, for the next time it is asked", () => {
    const transcript = new History()
    transcript.answered([
      makePart("reasoning", { text: "hm", metadata: { test: { signature: "s1" } } as never }),
      makePart("tool-call", { id: "p", name: "web_search", params: {}, providerExecuted: true }),
      makePart("tool-result", {
        id: "p",
        name: "web_search",
        isFailure: false,
        result: ["hit"],
        encodedResult: ["hit"],
        providerExecuted: true,
        preliminary: false
      }),
      makePart("text", { text: "There." })
    ])
    const [message] = transcript.messages
    assert.deepStrictEqual(
      partsOf(message as Prompt.Message).map(({ type }) => type),
      ["reasoning", "tool-call", "tool-result", "text"]
    )
    assert.deepInclude(partsOf(message as Prompt.Message)[0], { options: { test: { signature: "s1" } } })
    assert.strictEqual(transcript.messages.length, 1)
  })

  it("says nothing where nothing was answered", () => {
    const transcript = new History()
    transcript.answered([])
    transcript.answered([makePart("text-start", { id: "t" })])
    assert.deepStrictEqual(transcript.messages, [])
  })
})

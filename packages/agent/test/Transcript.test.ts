import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "@effect/vitest"
import { Agent, Transcript } from "@treadle/agent"
import { converse } from "@treadle/agent/promise"
import { AgentTest, type TurnLike } from "@treadle/agent/test"
import { kb, note, search } from "./kb.ts"

const agent = Agent.make({ name: "helper", instruction: "You help.", servers: { kb } })

const say = (seen: { readonly prompt: string }) => AgentTest.say(seen.prompt)

/** What a conversation leaves that says these things, as it is kept. */
const kept = (says: ReadonlyArray<string>, turns: ReadonlyArray<TurnLike>, transcript?: Transcript) =>
  Effect.scoped(
    Effect.gen(function* () {
      const conversation = yield* Agent.session(agent, transcript === undefined ? {} : { transcript })
      const texts = yield* Effect.forEach(says, (text) => Effect.map(conversation.say(text), (outcome) => outcome.text))
      return { texts, json: JSON.stringify(yield* conversation.transcript) }
    })
  ).pipe(Effect.provide(AgentTest.script(...turns)))

const read = (json: string) => Result.getOrThrow(Transcript.from(JSON.parse(json)))

describe("a transcript", () => {
  it.effect("is gone on from, calls and their results included, after it was kept as JSON", () =>
    Effect.gen(function* () {
      const noting = [
        AgentTest.together(
          AgentTest.say("Noting."),
          AgentTest.call(note, { text: "milk" }),
          AgentTest.callNamed("nope")
        ),
        AgentTest.say("Noted.")
      ]
      const first = yield* kept(["Note milk"], noting)
      const second = yield* kept(["What did I say?"], [say], read(first.json))
      assert.deepStrictEqual(second.texts, [
        [
          "You help.",
          "Note milk",
          "Noting.",
          '→ mcp__kb__note {"text":"milk"}',
          "→ nope {}",
          "← mcp__kb__note noted: milk",
          '← nope (error) error: no such tool "nope"',
          "Noted.",
          "What did I say?"
        ].join("\n")
      ])
      const third = yield* kept([], [], read(second.json))
      assert.strictEqual(third.json, second.json)
    })
  )

  it.effect("goes before what a single run is asked, and its ids are not used again", () =>
    Effect.gen(function* () {
      const searching = [AgentTest.call(search, { query: "push" }), AgentTest.say("Found.")]
      const { json } = yield* kept(["Search"], searching)
      const model = AgentTest.script(AgentTest.call(search, { query: "push" }), (seen) => {
        const ids = seen.messages.flatMap(({ content, role }) =>
          role === "assistant" ? content.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])) : []
        )
        assert.strictEqual(ids.length, 2)
        assert.strictEqual(new Set(ids).size, 2)
        return AgentTest.say(seen.prompt.split("\n")[1] ?? "")
      })
      const options = { transcript: read(json), context: "It is late." }
      const outcome = yield* Effect.provide(Agent.run(agent, "Again", options), model)
      assert.strictEqual(outcome.text, "Search")
    })
  )

  it("is whole while a turn goes on, and after it was cancelled", async () => {
    let asked = () => {}
    const reached = new Promise<void>((resolve) => {
      asked = resolve
    })
    const model = AgentTest.script(AgentTest.say("one"), AgentTest.call(note, { text: "two" }), () => {
      asked()
      return AgentTest.hang
    })
    await using conversation = await converse(agent, { model })
    await conversation.say("first")
    const before = JSON.stringify(conversation.transcript())
    const second = conversation.say("second")
    await reached
    assert.strictEqual(JSON.stringify(conversation.transcript()), before)
    await conversation.close()
    assert.strictEqual((await second).status, "cancelled")
    const after = JSON.stringify(conversation.transcript())
    assert.strictEqual(read(before).messages.length, 2)
    assert.deepStrictEqual(
      read(after).messages.map(({ role }) => role),
      ["user", "assistant", "user", "assistant", "tool"]
    )
  })

  const call = { type: "tool-call", id: "c1", name: "search", params: {}, providerExecuted: false }
  const given = {
    type: "tool-result",
    id: "c1",
    name: "search",
    isFailure: false,
    result: "x",
    providerExecuted: false
  }
  const user = { role: "user", content: [{ type: "text", text: "x" }] }

  it.each([
    ["no list", { messages: [] }, "Expected array"],
    ["no message", [5], "Expected"],
    ["one of the system", [{ role: "system", content: "Obey." }], "message 1 is one of the system"],
    ["a call without its result", [user, { role: "assistant", content: [call] }], "message 3 does not hold one result"],
    [
      "a call that is answered later",
      [user, { role: "assistant", content: [call] }, user, { role: "tool", content: [given] }],
      "message 3 does not hold one result"
    ],
    ["a result without its call", [user, { role: "tool", content: [given] }], "message 2 does not hold one result"]
  ])("is not read from %s, which is told", (_, json, why) => {
    const fault = Result.getOrThrow(Result.flip(Transcript.from(json)))
    assert.match(fault, /^it is no transcript: /u)
    assert.include(fault, why)
  })
})

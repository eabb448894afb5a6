import { assert, describe, it } from "vitest"
import * as Effect from "effect/Effect"
import { Agent, AgentError, SecretStore, Server } from "@treadle/agent"
import { converse, runAgent, streamAgent } from "@treadle/agent/promise"
import { AgentTest } from "@treadle/agent/test"
import * as z from "zod"
import { kb, note, search } from "../kb.ts"

const agent = Agent.make({ name: "reviewer", instruction: "You review.", servers: { kb } })

/** A server whose notes never come back, and what it heard. */
const stuck = () => AgentTest.recording(kb, ({ tool }) => (tool === "note" ? AgentTest.hanging : undefined))

const rejected = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error
  )

const soon = () => new Promise<void>((resolve) => setImmediate(resolve))

const until = async (condition: () => boolean) => {
  while (!condition()) await soon()
}

describe("runAgent", () => {
  it("gives the outcome", async () => {
    const model = AgentTest.script(AgentTest.call(search, { query: "x" }), (seen) =>
      AgentTest.say(seen.last(search)?.[0] ?? "nothing")
    )
    const outcome = await runAgent(agent, "Go", { model })
    assert.strictEqual(outcome.answer, "Rule 7: no force pushes (x)")
    assert.deepStrictEqual(
      outcome.calls(search).map(({ output }) => output),
      [["Rule 7: no force pushes (x)"]]
    )
  })

  it("gives an answer of the form of Zod, its defaults filled in", async () => {
    const form = z.object({ approve: z.boolean(), reasons: z.array(z.string()).default([]) })
    const judge = Agent.make({ name: "judge", instruction: "Go.", answer: form })
    const { answer } = await runAgent(judge, "Go", { model: AgentTest.script(AgentTest.answer({ approve: true })) })
    const reasons: ReadonlyArray<string> | undefined = answer?.reasons
    assert.deepStrictEqual([answer?.approve, reasons], [true, []])
  })

  it("takes the model of an agent that has one", async () => {
    const own = Agent.make({ name: "own", instruction: "Go.", model: AgentTest.script(AgentTest.say("mine")) })
    assert.strictEqual((await runAgent(own, "Go")).text, "mine")
  })

  it("rejects with AgentError where there could be no run", async () => {
    const wrong = Agent.make({ name: "", instruction: "Go." })
    const error = await rejected(runAgent(wrong, "Go", { model: AgentTest.script() }))
    assert.instanceOf(error, AgentError)
    assert.include(String(error), "1 to 64 characters")
    const failing = await rejected(runAgent(agent, "Go", { model: AgentTest.script(AgentTest.fail()) }))
    assert.strictEqual((failing as AgentError).reason._tag, "IntelligenceUnavailable")
  })

  it("reads the secrets that servers name from the store that it is given (A164)", async () => {
    const bearers: Array<string | null> = []
    const fetch = async (request: Request) => {
      bearers.push(request.headers.get("authorization"))
      return new Response("no", { status: 403 })
    }
    const headers = { authorization: "Bearer {{secret:BOX}}" }
    const box = Server.http("https://box.example/mcp", { headers, fetch, required: false })
    const one = Agent.make({ name: "r", instruction: "Go.", servers: { box } })
    const model = AgentTest.script(AgentTest.say("ok"))
    const secrets = SecretStore.layerNames({ BOX: "k-1" })
    assert.strictEqual((await runAgent(one, "Go", { model, secrets })).text, "ok")
    for await (const _ of streamAgent(one, "Go", { model, secrets })) void _
    await using talk = await converse(one, { model, secrets })
    assert.strictEqual((await talk.say("Go")).text, "ok")
    assert.isAtLeast(bearers.length, 3)
    assert.deepStrictEqual([...new Set(bearers)], ["Bearer k-1"])
  })

  it("rejects with a sentence where those who write JavaScript give it no model", async () => {
    const bare = runAgent as unknown as (agent: unknown, task: string) => Promise<unknown>
    assert.strictEqual(
      String(await rejected(bare(agent, "Go"))),
      'AgentError: agent "reviewer": no model answers: there is none; give one as the option `model`, or to the agent'
    )
  })

  it("ends with the outcome cancelled where its signal is aborted, before or meanwhile", async () => {
    const before = await runAgent(agent, "Go", { model: AgentTest.script(), signal: AbortSignal.abort() })
    assert.strictEqual(before.status, "cancelled")
    const server = stuck()
    const controller = new AbortController()
    const running = runAgent(Agent.make({ name: "r", instruction: "Go.", servers: { server } }), "Go", {
      model: AgentTest.script(AgentTest.call(note, { text: "x" })),
      signal: controller.signal
    })
    await until(() => server.calls(note).length === 1)
    controller.abort()
    const outcome = await running
    assert.strictEqual(outcome.status, "cancelled")
    assert.strictEqual(outcome.calls().length, 1)
    await until(() => server.cancelled.includes("tools/call"))
  })
})

describe("streamAgent", () => {
  it("tells what happens and the outcome last", async () => {
    const tags: Array<string> = []
    let text = ""
    for await (const item of streamAgent(agent, "Go", { model: AgentTest.script(AgentTest.say("a b c")) })) {
      tags.push(item._tag)
      if (item._tag === "TextDelta") text += item.text
    }
    assert.strictEqual(text, "a b c")
    assert.strictEqual(tags.at(-1), "Outcome")
  })

  it("ends the run where the loop is left, and its call is cancelled on the wire", async () => {
    const server = stuck()
    const model = AgentTest.script(AgentTest.call(note, { text: "x" }))
    const one = Agent.make({ name: "r", instruction: "Go.", servers: { server } })
    for await (const item of streamAgent(one, "Go", { model })) {
      if (item._tag === "ToolCalled") break
    }
    await until(() => server.cancelled.includes("tools/call"))
  })

  it("throws AgentError into the loop", async () => {
    const loop = async () => {
      for await (const _ of streamAgent(agent, "Go", { model: AgentTest.script(AgentTest.fail()) })) void _
    }
    assert.instanceOf(await rejected(loop()), AgentError)
  })
})

describe("converse", () => {
  it("answers messages, tells of turns, and ends with its block", async () => {
    const server = AgentTest.recording(kb)
    const one = Agent.make({ name: "r", instruction: "Go.", servers: { server } })
    const heard: Array<string> = []
    let listening: Promise<void>
    {
      await using talk = await converse(one, {
        model: AgentTest.script(AgentTest.say("one"), AgentTest.say("two"), AgentTest.say("three"))
      })
      listening = (async () => {
        for await (const { text } of talk.turns) heard.push(text)
      })()
      await soon()
      assert.strictEqual((await talk.say("1")).text, "one")
      assert.deepStrictEqual(await talk.deliver("2"), { turns: 1, awaiting: 2 })
      assert.strictEqual((await talk.say("3")).text, "three")
      assert.deepStrictEqual(talk.status(), { turns: 3, awaiting: 0, busy: false })
    }
    await listening
    assert.deepStrictEqual(heard, ["one", "two", "three"])
  })

  it("cancels the turn under way, on request and with close", async () => {
    const talk = await converse(agent, { model: AgentTest.script(AgentTest.hang, AgentTest.say("ok"), AgentTest.hang) })
    const first = talk.say("1")
    await soon()
    await talk.cancel()
    assert.strictEqual((await first).status, "cancelled")
    assert.strictEqual((await talk.say("2")).text, "ok")
    const last = talk.say("3")
    await soon()
    await talk.close()
    assert.strictEqual((await last).status, "cancelled")
    await talk.close()
  })

  it("says once what is wrong with a script, and not again when it is closed", async () => {
    const talk = await converse(agent, { model: AgentTest.script(AgentTest.say("one")) })
    await talk.say("1")
    assert.include(String(await rejected(talk.say("2"))), "The script has 1 turn, and the model was asked for turn 2.")
    await talk.close()
  })

  it("rejects with AgentError where there could be none, and leaves nothing open", async () => {
    let closed = false
    const slow = AgentTest.recording(kb)
    const wrong = Agent.make({
      name: "r",
      instruction: "Go.",
      servers: {
        slow,
        down: {
          _tag: "Open",
          settings: {},
          open: () =>
            Effect.andThen(
              Effect.addFinalizer(() => Effect.sync(() => (closed = true))),
              Effect.die("not an error of a client")
            )
        }
      }
    })
    const error = await rejected(converse(wrong, { model: AgentTest.script() }))
    assert.include(String(error), "not an error of a client")
    assert.isTrue(closed)
    assert.instanceOf(
      await rejected(converse(Agent.make({ name: "", instruction: "" }), { model: AgentTest.script() })),
      AgentError
    )
  })
})

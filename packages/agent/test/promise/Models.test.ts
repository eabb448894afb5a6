/** Models of services, for code that awaits. */
import { assert, describe, it } from "@effect/vitest"
import { Agent, AgentError, SecretStore } from "@treadle/agent"
import { OpenAiCompat } from "@treadle/agent/model"
import { converse, runAgent, streamAgent } from "@treadle/agent/promise"
import { openAiAnswer } from "@treadle/testing"

const agent = Agent.make({ name: "echo", instruction: "You answer." })
const keys: Array<string | null> = []
const fetch = async (request: Request) => {
  keys.push(request.headers.get("authorization"))
  return Response.json(openAiAnswer({ content: "Here." }))
}
const model = OpenAiCompat.layer({ url: "https://models.example", model: "m", fetch })
const wrong = OpenAiCompat.layer({ url: "nowhere", model: "m" })

const rejected = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it must reject"),
    (error: unknown) => error
  )

describe("a model of a service, for code that awaits", () => {
  it("answers", async () => {
    assert.strictEqual((await runAgent(agent, "?", { model })).text, "Here.")
    await using conversation = await converse(agent, { model })
    assert.strictEqual((await conversation.say("?")).text, "Here.")
  })

  it("reads what it names from the option secrets, as its own model does", async () => {
    const named = OpenAiCompat.layer({ url: "https://models.example", model: "m", key: "{{secret:KEY}}", fetch })
    const secrets = SecretStore.layerNames({ KEY: "k-1" })
    keys.length = 0
    assert.strictEqual((await runAgent(agent, "?", { model: named, secrets })).text, "Here.")
    const own = Agent.make({ name: "own", instruction: "You answer.", model: named })
    assert.strictEqual((await runAgent(own, "?", { secrets })).text, "Here.")
    await using conversation = await converse(own, { secrets })
    assert.strictEqual((await conversation.say("?")).text, "Here.")
    assert.deepStrictEqual(keys, ["Bearer k-1", "Bearer k-1", "Bearer k-1"])
    // @ts-expect-error its own model reads its key from a store
    const rejection = await rejected(runAgent(own, "?"))
    assert.include(String(rejection), "no SecretStore is provided")
  })

  it("A157: whose settings cannot be leaves a run without a model, and says why", async () => {
    const streaming = async () => {
      for await (const _ of streamAgent(agent, "?", { model: wrong })) assert.fail("nothing happens")
    }
    for (const way of [runAgent(agent, "?", { model: wrong }), converse(agent, { model: wrong }), streaming()]) {
      const error = await rejected(way)
      assert.instanceOf(error, AgentError)
      assert.strictEqual(error.reason._tag, "IntelligenceUnavailable")
      assert.include(error.message, "OpenAiCompat is not made: `url` is no URL")
    }
  })
})

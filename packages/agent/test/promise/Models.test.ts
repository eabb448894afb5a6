/** Models of services, for code that awaits. */
import { assert, describe, it } from "@effect/vitest"
import { Agent, AgentError } from "@treadle/agent"
import { OpenAiCompat } from "@treadle/agent/model"
import { converse, runAgent, streamAgent } from "@treadle/agent/promise"
import { openAiAnswer } from "@treadle/testing"

const agent = Agent.make({ name: "echo", instruction: "You answer." })
const fetch = async () => Response.json(openAiAnswer({ content: "Here." }))
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

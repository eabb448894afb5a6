/**
 * A served agent whose runs end when they are told to: one waits for a word, and another says it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agent, AgentMcp } from "@treadle/agent"
import { AgentTest, type Turn } from "@treadle/agent/test"

/** What a worker answers that was given the task of the review. */
export const distillate = "Rule 7: no force pushes"

const model = Layer.suspend(() => {
  const word = Deferred.makeUnsafe<void>()
  const waiting: Turn = {
    options: {},
    parts: (seen, number) => Effect.andThen(Deferred.await(word), AgentTest.say("heard").parts(seen, number))
  }
  const saying: Turn = {
    options: {},
    parts: (seen, number) =>
      Effect.andThen(Deferred.succeed(word, undefined), AgentTest.say("said").parts(seen, number))
  }
  return AgentTest.cast(({ task }) => (task === "Wait" ? "waiting" : task === "Say it" ? "saying" : "review"), {
    review: [AgentTest.say(distillate)],
    waiting: [waiting],
    saying: [saying]
  })
})

/** Made for one review, one that waits and one that says the word; each served one has its own. */
export const worker = AgentMcp.make(
  Agent.make({ name: "worker", version: "2.0.0", instruction: "Be a reusable code-review worker" })
).provide(model)

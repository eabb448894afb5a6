/** The models of the guide, with scripted services. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { SecretStore } from "@treadle/agent"
import { openAiAnswer, scriptedModel } from "@treadle/testing"
import { answer, ask, askLocally, azure, claude, dependable } from "./models.ts"

describe("the guide of models", () => {
  it.live("asks a local model", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel(openAiAnswer({ content: "Rule 7." }))
      assert.strictEqual(yield* Effect.promise(() => askLocally(service.url, "Which rule?")), "Rule 7.")
      const [seen] = service.seen.events
      assert.strictEqual(seen?.path, "/v1/chat/completions")
      assert.notProperty(seen?.headers, "authorization")
    })
  )

  it.effect("sends a key in a header of its own, and the fields that the settings add", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel(openAiAnswer({ content: "Yes." }))
      const model = azure(service.url).pipe(Layer.provide(SecretStore.layerNames({ AZURE_KEY: "k-1" })))
      assert.strictEqual(yield* ask("?").pipe(Effect.provide(model)), "Yes.")
      const [seen] = service.seen.events
      assert.strictEqual(seen?.headers["api-key"], "k-1")
      assert.strictEqual(seen?.json.reasoning_effort, "low")
      assert.include(seen?.path, "?api-version=2024-10-21")
    })
  )

  it.effect("says which secret is missing, and nothing is asked", () =>
    Effect.gen(function* () {
      for (const model of [claude, dependable]) {
        const error = yield* Effect.flip(ask("?").pipe(Effect.provide(model)))
        assert.include(error.message, "{{secret-file:/run/secrets/anthropic}} cannot be read")
      }
      const said = yield* answer("?").pipe(Effect.provide(Layer.merge(claude, Logger.layer([]))))
      assert.strictEqual(said, "Nobody can answer now. Try again later.")
    })
  )
})

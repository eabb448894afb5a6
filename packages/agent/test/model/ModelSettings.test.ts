/** Settings of models that cannot be, and what the types say about secrets. */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type { SecretStore } from "@treadle/agent"
import {
  Anthropic,
  Intelligence,
  OpenAiCompat,
  type ModelSettings,
  type ModelSettingsError
} from "@treadle/agent/model"

const good = { url: "https://models.example/v1", model: "m" }
const key = Redacted.make("hunter")

const wrong: ReadonlyArray<readonly [unknown, ReadonlyArray<string>]> = [
  [{ ...good, url: "models.example" }, ["`url` is no URL; write one such as https://models.example/v1"]],
  [{ ...good, url: "ftp://models.example" }, ["`url` must begin with https:// or http://"]],
  [{ ...good, url: "https://me:hunter@models.example" }, ["`url` has credentials in it; give them as `key`"]],
  [{ ...good, model: "" }, ["`model` is missing"]],
  [
    { ...good, key: "hunter" },
    ["`key` is written out; give Redacted.make(key), or a reference such as {{secret:NAME}}"]
  ],
  [
    { ...good, key: "{{secret:hunter" },
    ["`key`: the braces at character 0 do not end; write {{secret:NAME}} or {{secret-file:PATH}}"]
  ],
  [{ ...good, key: "{{secret:KEY}}" }, ["it refers to secrets, and no SecretStore is provided"]],
  [
    { ...good, headers: { "x-api-key": "hunter" } },
    [
      '`headers`: the header "x-api-key" carries a credential, which is not written out; refer to it by {{secret:…}} and {{secret-file:…}}'
    ]
  ],
  [{ ...good, headers: { "a b": "x" } }, ['"a b" in `headers` is no name of a header']],
  [
    { ...good, url: "http://models.example", key },
    ["a secret would be sent in clear to `url`; use https://, or a loopback address"]
  ],
  [
    { ...good, maxTokens: 0, timeout: Number.NaN, bodyLimit: -1, temperature: -1 },
    [
      "`maxTokens` must be above 0",
      "`timeout` must be above 0",
      "`bodyLimit` must be above 0",
      "`temperature` must be 0 or more"
    ]
  ],
  [
    { url: "x", model: "", key: "hunter" },
    [
      "`url` is no URL; write one such as https://models.example/v1",
      "`model` is missing",
      "`key` is written out; give Redacted.make(key), or a reference such as {{secret:NAME}}"
    ]
  ]
]

describe("settings of a model", () => {
  for (const [settings, problems] of wrong) {
    it.effect(`A10, A165: that cannot be are told, all of them: ${problems.join("; ")}`, () =>
      Effect.gen(function* () {
        // They are wrong by their types too, or refer to a store that is not there.
        const made = OpenAiCompat.make(settings as ModelSettings) as Effect.Effect<unknown, ModelSettingsError>
        const error = yield* Effect.flip(made)
        assert.deepStrictEqual(error.problems, problems)
        assert.strictEqual(error.message, `OpenAiCompat is not made: ${problems.join("; ")}`)
        assert.notInclude(JSON.stringify(error) + String(error), "hunter")
      })
    )
  }

  it.effect("are taken where they can work", () =>
    Effect.gen(function* () {
      yield* OpenAiCompat.make({ ...good, key, headers: { accept: "x", "x-token": key }, temperature: 0 })
      yield* OpenAiCompat.make({ url: "http://models.example", model: "m" })
      for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"]) {
        yield* OpenAiCompat.make({ url: `http://${host}:1234`, model: "m", key })
      }
      yield* Anthropic.make({ model: "m", key })
    })
  )

  it("need a store by their types where they refer to a secret, or may do so", () => {
    type Needs<Needed> = Layer.Layer<LanguageModel.LanguageModel, ModelSettingsError, Needed>
    const named: string = "k"
    expectTypeOf(OpenAiCompat.layer({ ...good, key })).toEqualTypeOf<Needs<never>>()
    expectTypeOf(OpenAiCompat.layer({ ...good, headers: { accept: "x" } })).toEqualTypeOf<Needs<never>>()
    expectTypeOf(Anthropic.layer({ model: "m", key: "{{secret:KEY}}" })).toEqualTypeOf<Needs<SecretStore>>()
    expectTypeOf(OpenAiCompat.layer({ ...good, key: named })).toEqualTypeOf<Needs<SecretStore>>()
    expectTypeOf(
      OpenAiCompat.layer({ ...good, headers: { "x-key": "a {{secret-file:/k}}", accept: "x" } })
    ).toEqualTypeOf<Needs<SecretStore>>()
    const both = [OpenAiCompat.layer({ ...good, key }), Anthropic.layer({ model: "m", key: "{{secret:KEY}}" })] as const
    expectTypeOf(Intelligence.failover(both)).toEqualTypeOf<Needs<SecretStore>>()
    expectTypeOf(both[1].pipe(Intelligence.retry(), Intelligence.breaker())).toEqualTypeOf<Needs<SecretStore>>()
    type Failing<E, R> = Layer.Layer<LanguageModel.LanguageModel, E, R>
    const mixed = (one: Failing<"a", "x">, other: Failing<"b", "y">) => Intelligence.failover([one, other])
    expectTypeOf(mixed).returns.toEqualTypeOf<Failing<"a" | "b", "x" | "y">>()
  })
})

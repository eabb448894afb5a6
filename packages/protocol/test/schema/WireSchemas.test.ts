/**
 * Laws of every payload schema: what it admits is handed on untouched and survives JSON text; anything else is refused
 * with a sentence for each problem, never with an exception.
 */
import { assert, describe, it } from "@effect/vitest"
import { wireDecoder, type WireSchema } from "@treadle/protocol/json"
import * as Protocol from "@treadle/protocol/schema"
import { hostileJson, inverts, isTotal, keepsAll } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Every payload schema that is exported. */
const schemas = Object.entries(Protocol).filter(([, value]) => Schema.isSchema(value))

/** A list and an object with 20,000 levels. */
const deep: ReadonlyArray<unknown> = [
  Array.from({ length: 20_000 }).reduce((inner) => [inner], 0),
  Array.from({ length: 20_000 }).reduce((inner) => ({ inner }), 0)
]

const identity = (value: unknown) => value

describe.each(schemas)("%s", (_, schema) => {
  const payload = schema as unknown as WireSchema<unknown>
  const codec = { encode: identity, decode: wireDecoder(payload) }
  const values = Arbitrary.schema(payload)

  it.prop("inverts", [values], ([value]) => inverts(codec)(value))

  it.prop("is total over any JSON and names each problem", [hostileJson], ([value]) =>
    isTotal(codec, ({ problems }) => problems.length > 0 && problems.every((problem) => problem !== ""))(value)
  )

  it.effect("B096: is total over a member that nests 20,000 deep", () =>
    Effect.map(Arbitrary.sampleEffect(values, { count: 3 }), (sample) => {
      for (const value of sample) {
        const names = Object.keys(value ?? {})
        for (const one of deep) {
          codec.decode(one)
          for (const name of names) codec.decode({ ...(value as object), [name]: one })
        }
      }
    })
  )

  it.prop("META-15 keeps members that it does not know", [values, hostileJson], ([value, more]) => {
    if (typeof value !== "object" || value === null) return
    const wider = { ...value, "x.example/later": more }
    if (Result.isSuccess(codec.decode(wider))) keepsAll(codec.decode)(wider)
  })
})

it("the schemas are found", () => {
  assert.isAtLeast(schemas.length, 70)
})

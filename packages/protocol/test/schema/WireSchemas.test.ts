/**
 * Laws of every payload schema: what it admits is handed on untouched and survives JSON text; anything else is refused
 * with a sentence for each problem, never with an exception.
 */
import { assert, describe, it } from "@effect/vitest"
import { wireDecoder, type WireSchema } from "@treadle/protocol/json"
import * as Protocol from "@treadle/protocol/schema"
import { hostileJson, inverts, isTotal, keepsAll } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Every payload schema that is exported. */
const schemas = Object.entries(Protocol).filter(([, value]) => Schema.isSchema(value))

const identity = (value: unknown) => value

describe.each(schemas)("%s", (_, schema) => {
  const payload = schema as unknown as WireSchema<unknown>
  const codec = { encode: identity, decode: wireDecoder(payload) }
  const values = Arbitrary.schema(payload)

  it.prop("inverts", [values], ([value]) => inverts(codec)(value))

  it.prop("is total over any JSON and names each problem", [hostileJson], ([value]) =>
    isTotal(codec, ({ problems }) => problems.length > 0 && problems.every((problem) => problem !== ""))(value)
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

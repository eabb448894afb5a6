import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { fillForm, formAnswer, formSchema, type FormSchema } from "@treadle/protocol/schema"
import * as Schema from "effect/Schema"
import { hostileJson } from "@treadle/testing"

const form: FormSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, maxLength: 3 },
    email: { type: "string", format: "email" },
    site: { type: "string", format: "uri" },
    day: { type: "string", format: "date" },
    at: { type: "string", format: "date-time" },
    odd: { type: "string", format: "colour" },
    seats: { type: "integer", minimum: 1, maximum: 4, default: 2 },
    price: { type: "number", default: 1.5 },
    again: { type: "boolean", default: false },
    row: { type: "string", enum: ["front", "back"], default: "back" },
    side: { type: "string", oneOf: [{ const: "l", title: "Left" }] },
    liked: { type: "array", items: { type: "string", enum: ["play", "bar"] }, minItems: 1, default: ["bar"] },
    wants: { type: "array", items: { anyOf: [{ const: "p", title: "Programme" }] }, maxItems: 1 }
  },
  required: ["name"]
}

const defaults = { seats: 2, price: 1.5, again: false, row: "back", liked: ["bar"] }

const problems = (content: object): ReadonlyArray<string> =>
  Result.match(fillForm(form, content as Record<string, string>), {
    onFailure: (misfit) => misfit.problems,
    onSuccess: () => []
  })

describe("the content of a form", () => {
  it("ELIC-06: gets the defaults of what was left out", () => {
    assert.deepStrictEqual(fillForm(form, { name: "Ada" }), Result.succeed({ name: "Ada", ...defaults }))
  })

  it("keeps what was filled in, and leaves out what the form does not have", () => {
    const content = {
      name: "Bo",
      email: "a@b.example",
      site: "https://b.example/x",
      day: "2026-07-28",
      at: "2026-07-28T10:00:00Z",
      odd: "blue",
      seats: 4,
      price: 0,
      again: true,
      row: "front",
      side: "l",
      liked: ["play", "bar"],
      wants: ["p"]
    }
    assert.deepStrictEqual(fillForm(form, { ...content, extra: 1 }), Result.succeed(content))
  })

  it("takes the bounds themselves, and counts characters as people do", () => {
    for (const content of [{ name: "Ada", seats: 1 }, { name: "Ada", seats: 4 }, { name: "😀😀😀" }]) {
      assert.deepStrictEqual(problems(content), [])
    }
  })

  it.each([
    [{}, "name: it is required"],
    [{ name: "A" }, "name: it must have 2 to 3 characters"],
    [{ name: "Adele" }, "name: it must have 2 to 3 characters"],
    [{ name: 5 }, "name: it must be text"],
    [{ name: "Ada", email: "a@" }, "email: it must be of the format email"],
    [{ name: "Ada", site: "b" }, "site: it must be of the format uri"],
    [{ name: "Ada", day: "2026-13-41" }, "day: it must be of the format date"],
    [{ name: "Ada", at: "2026-07-28" }, "at: it must be of the format date-time"],
    [{ name: "Ada", seats: 1.5 }, "seats: it must be a whole number"],
    [{ name: "Ada", seats: 5 }, "seats: it must be from 1 to 4"],
    [{ name: "Ada", price: "1" }, "price: it must be a number"],
    [{ name: "Ada", price: Number.NaN }, "price: it must be a number"],
    [{ name: "Ada", again: "yes" }, "again: it must be true or false"],
    [{ name: "Ada", row: "middle" }, "row: it must be one of front, back"],
    [{ name: "Ada", side: "r" }, "side: it must be one of l"],
    [{ name: "Ada", liked: [] }, "liked: it must have 1 to any number of items"],
    [{ name: "Ada", liked: ["food"] }, "liked: it must be one of play, bar"],
    [{ name: "Ada", wants: "p" }, "wants: it must be a list"],
    [{ name: "Ada", wants: ["p", "p"] }, "wants: it must have 0 to 1 items"]
  ])("names what does not fit: %o", (content, problem) => {
    assert.deepStrictEqual(problems(content), [problem])
  })

  it("names every problem at once", () => {
    assert.strictEqual(problems({ seats: 0, again: 1 }).length, 3)
  })

  it("has no member that the object got from elsewhere", () => {
    assert.deepStrictEqual(problems(Object.create({ name: "Ada" })), ["name: it is required"])
  })

  it.prop("is total over any content", [hostileJson], ([content]) => {
    const filled = fillForm(form, content as Record<string, string>)
    return Result.isFailure(filled) || filled.success["name"] !== undefined
  })

  it("fits what the server that asked reads", () => {
    const asked = Schema.Struct({
      seats: Schema.Int.annotate({ default: 2 }),
      row: Schema.optionalKey(Schema.Literals(["front", "back"]))
    })
    const printed = formSchema(asked)
    assert(Result.isSuccess(printed))
    const filled = fillForm(printed.success, { row: "front" })
    assert(Result.isSuccess(filled))
    assert.deepStrictEqual(formAnswer(asked)(filled.success), Result.succeed({ seats: 2, row: "front" }))
  })
})

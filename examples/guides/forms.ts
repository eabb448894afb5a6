/** The fields that a form can have. */
// #region forms
import { Ask } from "@treadle/server"
import * as Schema from "effect/Schema"

const titled = <const V extends string>(value: V, title: string) => Schema.Literal(value).annotate({ title })

export const survey = Ask.form({
  message: "How was your evening?",
  fields: {
    name: Schema.String.check(Schema.isMinCodePoints(2), Schema.isMaxLength(40)),
    email: Schema.String.annotate({ format: "email", title: "Your address" }),
    stars: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
    seat: Schema.Union([titled("a", "In the stalls"), titled("b", "On the balcony")]),
    liked: Schema.Array(Schema.Literals(["play", "music", "bar"])),
    again: Schema.Boolean.annotate({ default: true }),
    remarks: Schema.optionalKey(Schema.String)
  }
})

/** The same in the words of the wire, where a schema would be in the way; the answer is not held against it. */
export const sure = Ask.elicit({
  message: "Sure?",
  requestedSchema: { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] }
})
// #endregion

/**
 * Asking a person: a form of primitive fields, or a page to visit (ELIC-04 to ELIC-10).
 *
 * Reading is wider than writing: a format or a keyword that is not part of the subset does not spoil a form.
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Meta.ts"

const texts = { title: Schema.optionalKey(Schema.String), description: Schema.optionalKey(Schema.String) }
const Choice = Schema.Struct({ const: Schema.String, title: Schema.String })
const Choices = Schema.Array(Schema.String)

const StringField = Schema.Struct({
  type: Schema.Literal("string"),
  ...texts,
  minLength: Schema.optionalKey(Schema.Int),
  maxLength: Schema.optionalKey(Schema.Int),
  /** `email`, `uri`, `date` or `date-time`. */
  format: Schema.optionalKey(Schema.String),
  default: Schema.optionalKey(Schema.String),
  /** A choice whose values are not text is no field. */
  enum: Schema.optionalKey(Schema.Never),
  oneOf: Schema.optionalKey(Schema.Never)
})

const NumberField = Schema.Struct({
  type: Schema.Literals(["number", "integer"]),
  ...texts,
  minimum: Schema.optionalKey(Schema.Finite),
  maximum: Schema.optionalKey(Schema.Finite),
  default: Schema.optionalKey(Schema.Finite)
})

const BooleanField = Schema.Struct({
  type: Schema.Literal("boolean"),
  ...texts,
  default: Schema.optionalKey(Schema.Boolean)
})

const ChoiceField = Schema.Struct({
  type: Schema.Literal("string"),
  ...texts,
  enum: Choices,
  enumNames: Schema.optionalKey(Choices),
  default: Schema.optionalKey(Schema.String)
})

const TitledChoiceField = Schema.Struct({
  type: Schema.Literal("string"),
  ...texts,
  oneOf: Schema.Array(Choice),
  default: Schema.optionalKey(Schema.String)
})

const many = {
  type: Schema.Literal("array"),
  ...texts,
  minItems: Schema.optionalKey(Schema.Int),
  maxItems: Schema.optionalKey(Schema.Int),
  default: Schema.optionalKey(Choices)
}

const MultiChoiceField = Schema.Struct({
  ...many,
  items: Schema.Struct({ type: Schema.Literal("string"), enum: Choices })
})

const TitledMultiChoiceField = Schema.Struct({ ...many, items: Schema.Struct({ anyOf: Schema.Array(Choice) }) })

/** One field of a form; `enumNames` is deprecated by the specification in favour of `oneOf` (ELIC-05). */
export const FormField = Schema.Union([
  TitledChoiceField,
  ChoiceField,
  TitledMultiChoiceField,
  MultiChoiceField,
  StringField,
  NumberField,
  BooleanField
])
export type FormField = typeof FormField.Type

/** The schema of a form: flat, primitive fields only. */
export const FormSchema = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  type: Schema.Literal("object"),
  properties: Schema.Record(Schema.String, FormField),
  required: Schema.optionalKey(Schema.Array(Schema.String))
})
export interface FormSchema extends Schema.Schema.Type<typeof FormSchema> {}

/** A form to fill in; no `mode` means a form (ELIC-03). */
export const FormRequest = Schema.Struct({
  mode: Schema.optionalKey(Schema.Literal("form")),
  message: Schema.String,
  requestedSchema: FormSchema,
  _meta: Schema.optionalKey(Meta)
})
export interface FormRequest extends Schema.Schema.Type<typeof FormRequest> {}

/** A page to visit; `elicitationId` exists in compat only. */
export const UrlRequest = Schema.Struct({
  mode: Schema.Literal("url"),
  message: Schema.String,
  url: Schema.String,
  elicitationId: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})
export interface UrlRequest extends Schema.Schema.Type<typeof UrlRequest> {}

/** What `elicitation/create` asks. */
export const ElicitRequest = Schema.Union([UrlRequest, FormRequest])
export type ElicitRequest = typeof ElicitRequest.Type

/** What a person did; `content` only with `accept` of a form (ELIC-07). Some clients send `null`, which says nothing. */
export const ElicitResult = Schema.Struct({
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.optionalKey(
    Schema.NullOr(Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Choices])))
  ),
  _meta: Schema.optionalKey(Meta)
})
export interface ElicitResult extends Schema.Schema.Type<typeof ElicitResult> {}

/** Parameters of `notifications/elicitation/complete`, which exists in compat only (ELIC-19, ELIC-20). */
export const ElicitationComplete = Schema.Struct({
  elicitationId: Schema.String,
  _meta: Schema.optionalKey(Meta)
})
export interface ElicitationComplete extends Schema.Schema.Type<typeof ElicitationComplete> {}

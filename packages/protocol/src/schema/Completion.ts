/**
 * Completion of an argument of a prompt or a variable of a template (COMP-02).
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Meta.ts"

/** The most values that a server may answer with. One that sends more is read all the same. */
export const maxCompletions = 100

/** The prompt, or the template by its text, that is being filled in. */
export const CompletionReference = Schema.Union([
  Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String, title: Schema.optionalKey(Schema.String) }),
  Schema.Struct({ type: Schema.Literal("ref/resource"), uri: Schema.String })
])
export type CompletionReference = typeof CompletionReference.Type

/** The argument that is being typed, and its value so far. */
export const CompletionArgument = Schema.Struct({ name: Schema.String, value: Schema.String })
export interface CompletionArgument extends Schema.Schema.Type<typeof CompletionArgument> {}

/** What was chosen for the other arguments. */
export const CompletionContext = Schema.Struct({
  arguments: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
export interface CompletionContext extends Schema.Schema.Type<typeof CompletionContext> {}

/** What `completion/complete` answers; `total` may be more than there are values. */
export const CompletionResult = Schema.Struct({
  resultType: Schema.optionalKey(Schema.Literal("complete")),
  completion: Schema.Struct({
    values: Schema.Array(Schema.String),
    total: Schema.optionalKey(Schema.Int),
    hasMore: Schema.optionalKey(Schema.Boolean)
  }),
  _meta: Schema.optionalKey(Meta)
})
export interface CompletionResult extends Schema.Schema.Type<typeof CompletionResult> {}

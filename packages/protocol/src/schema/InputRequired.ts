/**
 * Input rounds of the native era: a result that asks, and the retry that answers (MRTR-03 to MRTR-11).
 */
import * as Schema from "effect/Schema"
import { ElicitRequest, ElicitResult } from "./Elicitation.ts"
import { Meta } from "./Meta.ts"
import { RootsResult } from "./Roots.ts"
import { CreateMessageRequest, CreateMessageResult } from "./Sampling.ts"

/** One question: a server request without an id. */
export const InputRequest = Schema.Union([
  Schema.Struct({ method: Schema.Literal("elicitation/create"), params: ElicitRequest }),
  Schema.Struct({ method: Schema.Literal("sampling/createMessage"), params: CreateMessageRequest }),
  Schema.Struct({
    method: Schema.Literal("roots/list"),
    params: Schema.optionalKey(Schema.Struct({ _meta: Schema.optionalKey(Meta) }))
  })
])
export type InputRequest = typeof InputRequest.Type

/** The bare result of the question with the same key. */
export const InputResponse = Schema.Union([ElicitResult, CreateMessageResult, RootsResult])
export type InputResponse = typeof InputResponse.Type

export const InputRequests = Schema.Record(Schema.String, InputRequest)
export const InputResponses = Schema.Record(Schema.String, InputResponse)

export const InputRequiredResult = Schema.Struct({
  resultType: Schema.Literal("input_required"),
  inputRequests: Schema.optionalKey(InputRequests),
  requestState: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})
export interface InputRequiredResult extends Schema.Schema.Type<typeof InputRequiredResult> {}

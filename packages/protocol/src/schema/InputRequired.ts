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

/** The questions of one round by their keys, which the server chose (MRTR-04). */
export const InputRequests = Schema.Record(Schema.String, InputRequest)
export type InputRequests = typeof InputRequests.Type

/** The answers of one round, under the keys of their questions (MRTR-11). */
export const InputResponses = Schema.Record(Schema.String, InputResponse)
export type InputResponses = typeof InputResponses.Type

/** What a retry carries, and the first attempt does not: the answers, and the state exactly as it came (MRTR-13). */
export const roundMembers = {
  inputResponses: Schema.optionalKey(InputResponses),
  requestState: Schema.optionalKey(Schema.String)
}

/** The answers and the state of a retry. */
export interface InputRound {
  readonly inputResponses?: InputResponses
  readonly requestState?: string
}

const asking = {
  resultType: Schema.Literal("input_required"),
  inputRequests: Schema.optionalKey(InputRequests),
  requestState: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
}

/** A result with questions. */
export const Questions = Schema.Struct({ ...asking, inputRequests: InputRequests })

/** A result with a state to come back with. */
export const Postponed = Schema.Struct({ ...asking, requestState: Schema.String })

/** A result that asks before it goes on. It has questions, a state, or both (MRTR-03). */
export const InputRequiredResult = Schema.Union([Questions, Postponed])
export type InputRequiredResult = typeof InputRequiredResult.Type

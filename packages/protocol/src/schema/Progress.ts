/**
 * Progress of a request whose `_meta` asked for it with a token (PROG-01 to PROG-03).
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Meta.ts"

/** What a request asks for progress with, unlike that of any other request under way. */
export const ProgressToken = Schema.Union([Schema.String, Schema.Int])
export type ProgressToken = typeof ProgressToken.Type

/** Parameters of `notifications/progress`; `progress` only grows. */
export const Progress = Schema.Struct({
  progressToken: ProgressToken,
  progress: Schema.Finite,
  total: Schema.optionalKey(Schema.Finite),
  message: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})
export interface Progress extends Schema.Schema.Type<typeof Progress> {}

/**
 * `notifications/cancelled`: a request is no longer wanted (CANCEL-02, CANCEL-04).
 */
import * as Schema from "effect/Schema"
import { RequestId } from "../rpc/index.ts"
import { Meta } from "./Meta.ts"

/** Parameters of `notifications/cancelled`; `reason` is for people and logs. */
export const Cancelled = Schema.Struct({
  requestId: RequestId,
  reason: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})
export interface Cancelled extends Schema.Schema.Type<typeof Cancelled> {}

/**
 * The id of a request: a string or an integer, never null (BASE-02).
 */
import * as Schema from "effect/Schema"

/** A string or a safe integer; a larger number would not come back as it was sent. */
export const RequestId = Schema.Union([Schema.String, Schema.Int])
export type RequestId = string | number

/** Whether a value can be the id of a request. */
export const isRequestId = (value: unknown): value is RequestId =>
  typeof value === "string" || Number.isSafeInteger(value)

/** A key for maps that keeps `1` and `"1"` apart. */
export const requestKey = (id: RequestId): string => (typeof id === "string" ? `s${id}` : `n${id}`)

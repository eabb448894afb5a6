/**
 * The only place where an HTTP status is chosen (HTTP-18, HTTP-20).
 */
import type { Answer } from "../engine/Sink.ts"
import type { Rung } from "../envelope/Refusal.ts"

const refusedStatus: { readonly [R in Rung]: number } = {
  verb: 405,
  path: 404,
  host: 403,
  origin: 403,
  accept: 406,
  "content-type": 415,
  "body-size": 413,
  "body-gone": 500,
  authorization: 400,
  token: 401,
  verifier: 503,
  certificate: 403,
  principal: 500,
  json: 400,
  message: 400,
  "session-named": 400,
  "session-known": 404,
  sessions: 503,
  "event-kept": 400,
  "version-known": 400,
  "method-known": 200,
  "version-named": 400,
  "version-agrees": 400,
  "version-served": 400,
  "capabilities-named": 400,
  "method-agrees": 400,
  "method-served": 404,
  "name-agrees": 400,
  "params-agree": 400,
  scopes: 403,
  "id-free": 400,
  calls: 429,
  stopping: 503
}

/**
 * The status of a stream on which nothing more will ever come: the one that tells readers of event streams not to come
 * back. Some come back after an error, which they do not take for the end of their request.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export const streamOver = 204

/** The status of an answer; what a handler says travels as 200, except a capability that the client lacks. */
export const statusOf = (answer: Answer): number => {
  if (answer.refused !== undefined) return refusedStatus[answer.refused]
  return answer.error?._tag === "MissingClientCapability" ? 400 : 200
}

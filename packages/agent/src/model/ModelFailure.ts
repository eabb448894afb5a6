/** Which failures of a model pass by themselves, and which say that no model is there to be asked. */
import * as Duration from "effect/Duration"
import * as AiError from "effect/ai/AiError"
import { own } from "@treadle/protocol/json"
import { countAt } from "./Members.ts"

/** What our adapters and the breaker say about a failure beside its reason. */
const said = (reason: AiError.AiErrorReason): unknown =>
  "metadata" in reason ? own(reason.metadata, "treadle") : undefined

/**
 * Whether a failure may pass by itself, so that the same call may succeed later or elsewhere: the service was not reached
 * or did not answer in time, it failed, or it takes no more calls now. It is the class of failures that is retried, failed
 * over and counted by a breaker.
 *
 * @example
 * ```ts
 * import * as AiError from "effect/ai/AiError"
 * import { Intelligence } from "@treadle/agent/model"
 *
 * const error = (reason: AiError.AiErrorReason) => AiError.make({ module: "m", method: "generateText", reason })
 * Intelligence.isPassing(error(new AiError.RateLimitError({}))) // => true
 * Intelligence.isPassing(error(new AiError.AuthenticationError({ kind: "InvalidKey" }))) // => false
 * ```
 */
export const isPassing = (error: unknown): error is AiError.AiError => {
  if (!AiError.isAiError(error)) return false
  const { reason } = error
  if (reason._tag === "NetworkError") return reason.reason === "TransportError"
  return reason._tag === "InternalProviderError" || reason._tag === "RateLimitError"
}

/**
 * Whether a failure means that there is no model to ask: one that may pass, a key that is missing or refused, an account
 * without quota, an address that leads elsewhere. Other failures are about the request or its answer.
 *
 * @example
 * ```ts
 * import * as AiError from "effect/ai/AiError"
 * import { Intelligence } from "@treadle/agent/model"
 *
 * const error = (reason: AiError.AiErrorReason) => AiError.make({ module: "m", method: "generateText", reason })
 * Intelligence.isUnavailable(error(new AiError.AuthenticationError({ kind: "InvalidKey" }))) // => true
 * Intelligence.isUnavailable(error(new AiError.InvalidRequestError({}))) // => false
 * ```
 */
export const isUnavailable = (error: unknown): error is AiError.AiError =>
  isPassing(error) ||
  (AiError.isAiError(error) &&
    (error.reason._tag === "AuthenticationError" ||
      error.reason._tag === "QuotaExhaustedError" ||
      (error.reason._tag === "NetworkError" && error.reason.reason === "InvalidUrlError")))

/** How long the service wants to be left alone, in milliseconds. */
export const retryAfterOf = ({ reason, retryAfter }: AiError.AiError): number | undefined =>
  retryAfter === undefined ? countAt(said(reason), "retryAfter") : Duration.toMillis(retryAfter)

/** Whether nobody was asked, because a breaker is open. */
export const isOpenBreaker = (error: unknown): boolean =>
  AiError.isAiError(error) && own(said(error.reason), "breaker") === "open"

/** @param wait milliseconds until the model is asked again */
export const openBreaker = (failures: number, wait: number): AiError.AiError =>
  AiError.make({
    module: "Intelligence",
    method: "breaker",
    reason: new AiError.InternalProviderError({
      description: `the model failed ${failures} times in a row and is not asked for another ${wait} ms`,
      metadata: { treadle: { breaker: "open", retryAfter: wait } }
    })
  })

/** @param errors what each model failed with, in order */
export const noneAnswered = (errors: ReadonlyArray<AiError.AiError>): AiError.AiError =>
  AiError.make({
    module: "Intelligence",
    method: "failover",
    reason: new AiError.InternalProviderError({
      description: `none of ${errors.length} models answered: ${errors.map(({ message }, index) => `${index + 1}. ${message}`).join(" ")}`
    })
  })

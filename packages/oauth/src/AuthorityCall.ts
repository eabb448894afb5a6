/**
 * One request to an authorization server: its address passes the guard, no redirect is followed, and what comes back is
 * bounded in time and size. What goes wrong is a reason that names address and cause, and nothing of what was sent.
 */
import * as Effect from "effect/Effect"
import { refusedAddress, shownAddress, type AddressPolicy } from "./AddressGuard.ts"
import { AuthReason, shortened } from "./AuthError.ts"
import type { OAuthSender } from "./OAuthSender.ts"

/** What to send. */
export interface AuthorityRequest {
  readonly url: URL
  /** What the address is, such as `the token endpoint`. */
  readonly what: string
  readonly headers?: Headers
  /** A POST where it is there, else a GET. */
  readonly body?: string
}

/** What came back. */
export interface AuthorityAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** How it is sent. */
export interface AuthorityTerms {
  readonly sender: OAuthSender
  readonly policy: AddressPolicy
  /** How long it may take, in milliseconds. */
  readonly timeout: number
}

/** Why there is no answer to go on with. */
type CallReason = InstanceType<typeof AuthReason.AddressRefused | typeof AuthReason.Unavailable>

/** How much is read of an answer, in bytes. */
const bodyLimit = 1024 * 1024

const readText = async (response: Response, signal: AbortSignal): Promise<string> => {
  const reader = response.body?.getReader()
  if (reader === undefined) return ""
  const stop = () => void reader.cancel().catch(() => {})
  signal.addEventListener("abort", stop, { once: true })
  try {
    const decoder = new TextDecoder()
    let size = 0
    let text = ""
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      size += value.byteLength
      if (size > bodyLimit) throw new RangeError(`its answer is longer than ${bodyLimit} bytes`)
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    signal.removeEventListener("abort", stop)
    stop()
  }
}

/** What went wrong, in words. Only messages are taken: what else an error carries may hold the request. */
const wordsOf = (failure: unknown): string => {
  if (!(failure instanceof Error)) return "it cannot be reached"
  const { cause } = failure
  return shortened(cause instanceof Error && cause.message !== "" ? cause.message : failure.message)
}

/** Sends a request, and reads its answer, whatever its status. */
export const callAuthority = (
  { policy, sender, timeout }: AuthorityTerms,
  { body, headers = new Headers(), url, what }: AuthorityRequest
): Effect.Effect<AuthorityAnswer, CallReason> => {
  const refused = refusedAddress(url, what, policy)
  if (refused !== undefined) return Effect.fail(refused)
  const unavailable = (why: string) => new AuthReason.Unavailable({ url: shownAddress(url), what, why })
  const answered = Effect.tryPromise({
    try: async (signal) => {
      const method = body === undefined ? "GET" : "POST"
      const response = await sender({ url, method, headers, body, signal }, policy)
      return { status: response.status, headers: response.headers, text: await readText(response, signal) }
    },
    catch: (failure) => (failure instanceof AuthReason.AddressRefused ? failure : unavailable(wordsOf(failure)))
  })
  return Effect.timeoutOrElse(answered, {
    duration: timeout,
    orElse: () => Effect.fail(unavailable(`no answer within ${timeout} ms`))
  })
}

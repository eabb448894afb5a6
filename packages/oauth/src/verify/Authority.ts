/**
 * Requests of a verifier to an authorization server: to addresses that may be called, over no redirect, within a time and
 * a size. Whatever goes wrong is `VerifierUnavailable`, and says nothing of what was sent.
 */
import { VerifierUnavailable } from "@treadle/server"
import * as Effect from "effect/Effect"
import { addressKind, isLoopbackHost, refusedAddress, type AddressPolicy } from "../AddressGuard.ts"
import { AuthReason } from "../AuthError.ts"
import { sendByFetch, type OAuthSender } from "../OAuthSender.ts"

/** How an authorization server is reached. */
export interface AuthoritySettings {
  /** What sends the requests; the global `fetch` by default. `@treadle/oauth/node` has one that checks names too. */
  readonly sender?: OAuthSender
  /**
   * What an authorization server may name beside public addresses: addresses of this machine, or also those of private
   * networks. `"public"` by default; an address of such a kind in the settings allows its kind by itself.
   */
  readonly network?: "public" | "loopback" | "private"
  /** How long one request may take, in milliseconds; 5,000 by default. */
  readonly timeout?: number
}

/** A request to an authorization server. */
export interface AuthorityRequest {
  readonly url: URL
  /** What the address is, such as `the key set`. */
  readonly what: string
  readonly method: "GET" | "POST"
  readonly headers: Headers
  readonly body?: string
}

/** An answer that was read whole. */
export interface AuthorityAnswer {
  readonly status: number
  /** In lower case, without parameters. */
  readonly type: string
  readonly text: string
}

/** Sends one request, and reads its answer, whatever its status. */
export type Authority = (request: AuthorityRequest) => Effect.Effect<AuthorityAnswer, VerifierUnavailable>

/** How much is read of an answer, in bytes. */
const maxBytes = 1024 * 1024

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
      if (size > maxBytes) throw new RangeError(`its answer is longer than ${maxBytes} bytes`)
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    signal.removeEventListener("abort", stop)
    stop()
  }
}

/** What went wrong, in words. Only messages are taken: what else an error carries may hold the request. */
const wordsOf = (failure: unknown): string => {
  if (failure instanceof AuthReason.AddressRefused) return failure.why
  if (!(failure instanceof Error)) return "it could not be asked"
  return failure.cause instanceof Error && failure.cause.message !== "" ? failure.cause.message : failure.message
}

const unavailable = ({ url, what }: AuthorityRequest, why: string): VerifierUnavailable =>
  new VerifierUnavailable({ why: `${what}, ${url.origin}${url.pathname}, gave no answer to go on with: ${why}` })

/**
 * Makes what sends.
 *
 * @param given the addresses that the settings name
 */
export const makeAuthority = (settings: AuthoritySettings, given: ReadonlyArray<string>): Authority => {
  const { network = "public", sender = sendByFetch, timeout = 5_000 } = settings
  const hosts = given.map((url) => new URL(url).hostname)
  const policy: AddressPolicy = {
    loopback: network !== "public" || hosts.some(isLoopbackHost),
    privateNetworks: network === "private" || hosts.some((host) => addressKind(host) === "private")
  }
  return (request) => {
    const { body, headers, method, url, what } = request
    const refused = refusedAddress(url, what, policy)
    if (refused !== undefined) return Effect.fail(new VerifierUnavailable({ why: refused.message }))
    const asked = Effect.tryPromise({
      try: async (signal): Promise<AuthorityAnswer> => {
        const response = await sender({ url, method, headers, body, signal }, policy)
        const type = (response.headers.get("content-type") ?? "").split(";", 1)[0] ?? ""
        return { status: response.status, type: type.trim().toLowerCase(), text: await readText(response, signal) }
      },
      catch: (failure) => unavailable(request, wordsOf(failure))
    })
    return Effect.timeoutOrElse(asked, {
      duration: timeout,
      orElse: () => Effect.fail(unavailable(request, `none came within ${timeout} ms`))
    })
  }
}

/** What is wrong with an answer that must be a document; nothing where it may be one. */
export const undocumented = ({ status, type }: AuthorityAnswer): string | undefined => {
  if (status >= 300 && status < 400) return `HTTP ${status}; redirects are not followed`
  if (status !== 200) return `HTTP ${status}`
  return type === "text/html" ? "it is HTML, and no JSON" : undefined
}

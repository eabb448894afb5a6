/**
 * Requests of a verifier to an authorization server. Whatever goes wrong is `VerifierUnavailable`.
 */
import { VerifierUnavailable } from "@treadle/server"
import * as Effect from "effect/Effect"
import { policyFor, type Network } from "../AddressGuard.ts"
import { callAuthority, type AuthorityAnswer, type AuthorityRequest } from "../AuthorityCall.ts"
import { sendByFetch, type OAuthSender } from "../OAuthSender.ts"

/** How an authorization server is reached. */
export interface AuthoritySettings {
  /** What sends the requests; the global `fetch` by default. `@treadle/oauth/node` has one that checks names too. */
  readonly sender?: OAuthSender
  /**
   * What an authorization server may name beside public addresses: addresses of this machine, or also those of private
   * networks. `"public"` by default; an address of such a kind in the settings allows its kind by itself.
   */
  readonly network?: Network
  /** How long one request may take, in milliseconds; 5,000 by default. */
  readonly timeout?: number
}

/** Sends one request, and reads its answer, whatever its status. */
export type Authority = (request: AuthorityRequest) => Effect.Effect<AuthorityAnswer, VerifierUnavailable>

/**
 * Makes what sends.
 *
 * @param given the addresses that the settings name
 */
export const makeAuthority = (settings: AuthoritySettings, given: ReadonlyArray<string>): Authority => {
  const { network = "public", sender = sendByFetch, timeout = 5_000 } = settings
  const policy = policyFor(
    network,
    given.map((url) => new URL(url).hostname)
  )
  return (request) =>
    Effect.mapError(
      callAuthority({ policy, sender, timeout }, request),
      ({ message }) => new VerifierUnavailable({ why: message })
    )
}

/** The media type of an answer, in lower case and without parameters. */
export const typeOf = ({ headers }: AuthorityAnswer): string =>
  (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** What is wrong with an answer that must be a document; nothing where it may be one. */
export const noDocument = (answer: AuthorityAnswer): string | undefined => {
  const { status } = answer
  if (status >= 300 && status < 400) return `HTTP ${status}; redirects are not followed`
  if (status !== 200) return `HTTP ${status}`
  return typeOf(answer) === "text/html" ? "it is HTML, and no JSON" : undefined
}

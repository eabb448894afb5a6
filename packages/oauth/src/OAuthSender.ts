/**
 * What sends the requests of an OAuth flow. The global `fetch` fits; `@treadle/oauth/node` has one that also checks what
 * a name resolves to, and dials exactly that.
 */
import type { AddressPolicy } from "./AddressGuard.ts"

/** One request; redirects are not followed. */
export interface OAuthRequest {
  readonly url: URL
  readonly method: "GET" | "POST"
  readonly headers: Headers
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/** Sends a request. Rejects where there is no response, or with `AuthReason.AddressRefused` where it may not be sent. */
export type OAuthSender = (request: OAuthRequest, policy: AddressPolicy) => Promise<Response>

/** Sends by the global `fetch`, which resolves names by itself. */
export const sendByFetch: OAuthSender = ({ body, headers, method, signal, url }) =>
  fetch(url, { method, headers, signal, redirect: "manual", ...(body === undefined ? {} : { body }) })

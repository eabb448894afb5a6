/**
 * The contract of what verifies access tokens. `@treadle/oauth/verify` has verifiers of JWTs and by introspection; one of
 * your own fits too.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { JsonObject } from "@treadle/protocol/json"

/** A token as a request shows it. */
export interface PresentedToken {
  readonly token: Redacted.Redacted
  /** The identifier of this server that the token must be meant for (RFC 8707). */
  readonly resource: string
}

/** What a token says that is valid, and meant for this server. */
export interface VerifiedToken {
  readonly issuer: string
  readonly subject: string
  readonly clientId?: string
  readonly scopes: ReadonlyArray<string>
  /** Milliseconds since 1970. */
  readonly expiresAt?: number
  readonly claims: JsonObject
}

/** A token is not accepted. The sentence is sent to the caller; it says nothing of the token's content. */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{ readonly why: string }> {
  override get message(): string {
    return this.why
  }
}

/** Nothing can be said of a token now, because keys or an endpoint cannot be reached. The sentence is for the log. */
export class VerifierUnavailable extends Data.TaggedError("VerifierUnavailable")<{
  readonly why: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.why
  }
}

/** Says whether a token is valid and meant for the resource. */
export type Verify = (presented: PresentedToken) => Effect.Effect<VerifiedToken, TokenRefused | VerifierUnavailable>

/** What verifies tokens. It is inert; what it opens may hold keys. */
export interface TokenVerifier {
  readonly open: Effect.Effect<Verify, never, Scope.Scope>
}

/**
 * A verifier that keeps nothing.
 *
 * @example
 * ```ts
 * import { TokenRefused, TokenVerifier } from "@treadle/server"
 * import * as Effect from "effect/Effect"
 *
 * const verifier = TokenVerifier.make(() => Effect.fail(new TokenRefused({ why: "there are no tokens here" })))
 * Effect.isEffect(verifier.open) // => true
 * ```
 */
const make = (verify: Verify): TokenVerifier => ({ open: Effect.succeed(verify) })

/** Makes verifiers. */
export const TokenVerifier = { make }

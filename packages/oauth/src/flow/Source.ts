/**
 * The contract of the ways to a first token, once the authorization server is known: `CodeSource` has that of a person who
 * logs in, `MachineSource` those without one.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AuthReason } from "../AuthError.ts"
import type { TokenStore } from "../TokenStore.ts"
import type { OAuthClient } from "./Client.ts"
import type { Discovered, ServerFacts } from "./Discovery.ts"
import type { Dpop } from "./Dpop.ts"
import type { Grant, Registered } from "./Grant.ts"
import type { OAuthPeer } from "./OAuthPeer.ts"
import type { Issued } from "./TokenRequest.ts"

/** What a token is asked for with. */
export interface Asking {
  readonly peer: OAuthPeer
  readonly store: TokenStore
  readonly found: Discovered
  readonly scopes: ReadonlyArray<string>
  readonly dpop: Dpop | undefined
}

/** A token, and whom it was given to. */
export interface Obtained {
  readonly issued: Issued
  readonly clientId: string
  /** The registration that made the client, where one did. */
  readonly registered?: Registered
}

/** A way to a first token. */
export interface Source {
  /** The id that one authorization server gave to the client beforehand; none where any server may be shown the client. */
  readonly clientId: string | undefined
  /** Whether tokens are renewed with a refresh token; else they are obtained again. */
  readonly renews: boolean
  readonly obtain: (asking: Asking) => Effect.Effect<Obtained, AuthReason, Scope.Scope>
  /** The client that may refresh what was obtained; none where it is known no longer. */
  readonly client: (grant: Grant, server: ServerFacts) => Effect.Effect<OAuthClient | undefined>
  /** Forgets a client that the server no longer knows. */
  readonly forget: (store: TokenStore, issuer: string) => Effect.Effect<boolean, AuthReason>
}

/** Whether the authorization server says that it does not know the client. */
export const isUnknownClient = (reason: AuthReason): boolean =>
  reason._tag === "Refused" && reason.error === "invalid_client"

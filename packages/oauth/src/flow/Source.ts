/**
 * The ways to a first token, once the authorization server is known: a person who logs in, the client on its own behalf,
 * an employer's identity provider, or the platform that a workload runs on.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AuthReason } from "../AuthError.ts"
import type { Browser } from "../Browser.ts"
import type { TokenStore } from "../TokenStore.ts"
import type { OAuthClient } from "./Client.ts"
import { logIn, pageOf } from "./CodeFlow.ts"
import type { Discovered, ServerFacts } from "./Discovery.ts"
import type { Dpop } from "./Dpop.ts"
import { Kept, type Grant, type Registered } from "./Grant.ts"
import type { OAuthPeer } from "./OAuthPeer.ts"
import { demandMetadataUrl, knownClient, register, type ClientIdentity } from "./Registration.ts"
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

/** A registration as long as its secret is good. */
const lasting = (registered: Registered | undefined): Effect.Effect<Registered | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    (registered?.secretExpiresAt ?? Infinity) > now ? registered : undefined
  )

const readRegistered = (store: TokenStore, key: string): Effect.Effect<Registered | undefined, AuthReason> =>
  Effect.flatMap(store.read(key), (kept) => lasting(kept === undefined ? undefined : Kept.registered.decode(kept)))

/** A person logs in. */
export const codeSource = (identity: ClientIdentity, browser: Browser): Source => {
  /** A person is shown the name that was registered, so that each name has a client of its own. */
  const registrationKey = (issuer: string): string => `client ${issuer} ${JSON.stringify(identity.name)}`
  const client: Source["client"] = ({ registered }, server) =>
    registered === undefined ? Effect.succeed(knownClient(identity, server)) : lasting(registered)
  const forget: Source["forget"] = (store, issuer) =>
    identity.id === undefined ? store.remove(registrationKey(issuer)) : Effect.succeed(false)

  /** One registration serves as long as the person can be sent back to the address that was registered. */
  const registered = ({ found, peer, store }: Asking, earlier: Registered | undefined, redirectUri: string) =>
    earlier?.redirectUri === redirectUri
      ? Effect.succeed(earlier)
      : Effect.tap(register(peer, found.server, identity, redirectUri), (made) =>
          store.write(registrationKey(found.server.issuer), Kept.registered.encode(made))
        )

  const obtain: Source["obtain"] = (asking) =>
    Effect.gen(function* () {
      const { found, peer, store } = asking
      yield* demandMetadataUrl(identity)
      const page = yield* pageOf(peer, found.server)
      const known = knownClient(identity, found.server)
      const earlier =
        known === undefined ? yield* readRegistered(store, registrationKey(found.server.issuer)) : undefined
      const visit = yield* browser.visit(earlier?.redirectUri)
      const login = { ...asking, page, visit }
      if (known !== undefined) {
        return { issued: yield* logIn(peer, { ...login, client: known }), clientId: known.id }
      }
      const made = yield* registered(asking, earlier, visit.redirectUri)
      return { issued: yield* logIn(peer, { ...login, client: made }), clientId: made.id, registered: made }
    })

  return {
    clientId: identity.id,
    renews: true,
    client,
    forget,
    // A registration that the server has forgotten is made anew, once.
    obtain: (asking) =>
      Effect.catchIf(obtain(asking), isUnknownClient, (reason) =>
        Effect.flatMap(forget(asking.store, asking.found.server.issuer), (forgot) =>
          forgot ? obtain(asking) : Effect.fail(reason)
        )
      )
  }
}

/** Whether the authorization server says that it does not know the client. */
export const isUnknownClient = (reason: AuthReason): boolean =>
  reason._tag === "Refused" && reason.error === "invalid_client"

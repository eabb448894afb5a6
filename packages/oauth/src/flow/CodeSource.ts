/**
 * Tokens by a person who logs in: as a client that is known, or that is registered for it and kept.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AuthReason } from "../AuthError.ts"
import type { Browser } from "../Browser.ts"
import type { TokenStore } from "../TokenStore.ts"
import { logIn, pageOf } from "./CodeFlow.ts"
import { Kept, type Registered } from "./Grant.ts"
import { demandMetadataUrl, knownClient, register, type ClientIdentity } from "./Registration.ts"
import { isUnknownClient, type Asking, type Source } from "./Source.ts"

/** A registration as long as its secret is good. */
const lasting = (registered: Registered | undefined): Effect.Effect<Registered | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    (registered?.secretExpiresAt ?? Infinity) > now ? registered : undefined
  )

const readRegistered = (store: TokenStore, key: string): Effect.Effect<Registered | undefined, AuthReason> =>
  Effect.flatMap(store.read(key), (kept) => lasting(kept === undefined ? undefined : Kept.registered.decode(kept)))

/** A person logs in. */
export const codeSource = (identity: ClientIdentity, browser: Browser): Source => {
  /** A person is shown the name that was registered, so that programs which share a store have a client of their own. */
  const keyAt = (issuer: string): string => `client ${issuer} ${JSON.stringify(identity.name)}`
  const client: Source["client"] = ({ registered }, server) =>
    registered === undefined ? Effect.succeed(knownClient(identity, server)) : lasting(registered)
  const forget: Source["forget"] = (store, issuer) =>
    identity.id === undefined ? store.remove(keyAt(issuer)) : Effect.succeed(false)

  /** One registration serves as long as the person can be sent back to the address that was registered. */
  const registered = ({ found, peer, store }: Asking, earlier: Registered | undefined, redirectUri: string) =>
    earlier?.redirectUri === redirectUri
      ? Effect.succeed(earlier)
      : Effect.tap(register(peer, found.server, identity, redirectUri), (made) =>
          store.write(keyAt(found.server.issuer), Kept.registered.encode(made))
        )

  const obtain: Source["obtain"] = (asking) =>
    Effect.gen(function* () {
      const { found, peer, store } = asking
      yield* demandMetadataUrl(identity)
      const page = yield* pageOf(peer, found.server)
      const known = knownClient(identity, found.server)
      const earlier = known === undefined ? yield* readRegistered(store, keyAt(found.server.issuer)) : undefined
      const visit = yield* browser.visit(earlier?.redirectUri)
      const login = { ...asking, page, visit }
      if (known !== undefined) return { issued: yield* logIn(peer, { ...login, client: known }), clientId: known.id }
      const made = yield* registered(asking, earlier, visit.redirectUri)
      // A server that has forgotten a registration tells the person only, who then does not come back (RFC 6749 section
      // 4.1.2.1): the next login makes a new one.
      const abandoned = (reason: AuthReason) =>
        reason._tag === "LoginNeeded" && made === earlier ? forget(store, found.server.issuer) : Effect.void
      const issued = yield* Effect.tapError(logIn(peer, { ...login, client: made }), abandoned)
      return { issued, clientId: made.id, registered: made }
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

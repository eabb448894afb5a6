/**
 * The login for one server as a store keeps it, and how it is renewed: whoever shares the store renews it once, and the
 * others see what came of it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { own } from "@treadle/protocol/json"
import { AuthReason, quoted } from "../AuthError.ts"
import type { TokenStore } from "../TokenStore.ts"
import type { Demand } from "./Challenge.ts"
import { discover, discoverServer, type Discovered, type DiscoveryHints } from "./Discovery.ts"
import { Dpop } from "./Dpop.ts"
import { isExpiring, Kept, type Binding, type Grant } from "./Grant.ts"
import type { OAuthPeer } from "./OAuthPeer.ts"
import { covers } from "./Resource.ts"
import { scopesFor } from "./Scopes.ts"
import { makeBindingKey, readBindingKey } from "./SigningKey.ts"
import { isUnknownClient, type Asking, type Source } from "./Source.ts"
import { requestToken, type Issued } from "./TokenRequest.ts"

/** What the logins for one server are made of. */
export interface LoginParts {
  readonly peer: OAuthPeer
  readonly store: TokenStore
  readonly source: Source
  /** Scopes that the developer wants in any case. */
  readonly wanted: ReadonlyArray<string>
  readonly hints: Omit<DiscoveryHints, "challenged">
  /** Whose logins these are: they are not shared with other clients that use the store. */
  readonly owner: string
  /** Whether tokens are bound to a key. */
  readonly dpop: boolean
  /** How often somebody has logged out with the same provider. */
  readonly logouts: { count: number }
}

/** A login, and how it came about. */
export interface Login {
  readonly grant: Grant
  readonly dpop: Dpop | undefined
  /** How it was just made; nothing once the server has taken it, or where it was kept. */
  readonly untried: "refresh" | "authorization" | undefined
}

/** How often in a row a refresh may be refused for a reason that says nothing of the login. */
const maxRefusals = 3

export class Logins {
  readonly #parts: LoginParts
  readonly #lock: string
  #refusals = 0

  constructor(parts: LoginParts) {
    this.#parts = parts
    this.#lock = this.#key("login", parts.peer.server.href)
  }

  /** Changes when somebody logs out; a login that was read before may be over then. */
  get logouts(): number {
    return this.#parts.logouts.count
  }

  /** What the store keeps for the server; nothing where it is for another address. */
  readonly kept: Effect.Effect<Login | undefined, AuthReason> = Effect.suspend(() => {
    const { peer, store } = this.#parts
    return Effect.gen({ self: this }, function* () {
      const binding = yield* this.#binding
      if (binding === undefined || !covers(binding.resource, peer.server)) return undefined
      const value = yield* store.read(this.#grantKey(binding))
      const grant = value === undefined ? undefined : Kept.grant.decode(value)
      if (grant === undefined || grant.issuer !== binding.issuer || grant.resource !== binding.resource)
        return undefined
      // One that is bound to no key is of no use where that is demanded.
      return this.#parts.dpop && grant.bindingKey === undefined ? undefined : yield* loginOf(grant)
    })
  })

  /** The login, renewed where it is about to expire; nothing where a person or a grant is needed. */
  readonly fresh = (login: Login): Effect.Effect<Login | undefined, AuthReason> =>
    Effect.gen({ self: this }, function* () {
      if (!isExpiring(login.grant, yield* Clock.currentTimeMillis)) return login
      return yield* this.#alone(this.#renewed(login))
    })

  /**
   * A login that a refused one is replaced by.
   *
   * @param refused what was shown; nothing where nothing was
   */
  readonly replace = (refused: Login | undefined, demand: Demand): Effect.Effect<Login, AuthReason> =>
    this.#alone(
      Effect.gen({ self: this }, function* () {
        const now = yield* Clock.currentTimeMillis
        const other = yield* this.#otherThan(refused)
        if (other !== undefined && !isExpiring(other.grant, now)) return other
        const { hints, peer } = this.#parts
        const found = yield* discover(peer, { ...hints, challenged: demand.metadata })
        const isSame =
          refused?.grant.issuer === found.server.issuer && refused.grant.resource === found.resource.resource
        const mayRefresh = isSame && !demand.more && refused.untried !== "refresh"
        const renewed = mayRefresh ? yield* this.#refreshed(refused) : undefined
        return renewed ?? (yield* this.#authorized(found, isSame ? refused : undefined, demand))
      })
    )

  /** Forgets the login; that of a person who is at it now is not waited for, and goes on. @returns whether there was one */
  readonly forget: Effect.Effect<boolean, AuthReason> = Effect.suspend(() => {
    const { logouts, store } = this.#parts
    const forgotten = Effect.gen({ self: this }, function* () {
      const login = yield* this.kept
      const had = login !== undefined && (yield* store.remove(this.#grantKey(login.grant)))
      yield* store.remove(this.#bindingKey)
      return had
    })
    const ended = Effect.flatMap(this.#binding, (binding) =>
      binding === undefined ? Effect.succeed(false) : this.#changing(binding, forgotten)
    )
    return Effect.tap(ended, () => Effect.sync(() => logouts.count++))
  })

  #key(...parts: ReadonlyArray<string>): string {
    return JSON.stringify([this.#parts.owner, ...parts])
  }

  get #bindingKey(): string {
    return this.#key("server", this.#parts.peer.server.href)
  }

  get #binding(): Effect.Effect<Binding | undefined, AuthReason> {
    return Effect.map(this.#parts.store.read(this.#bindingKey), (kept) =>
      kept === undefined ? undefined : Kept.binding.decode(kept)
    )
  }

  #grantKey({ issuer, resource }: Binding): string {
    return this.#key("grant", issuer, resource)
  }

  /** Several addresses may have one resource and so one login, which is changed for one of them at a time. */
  #changing<A>({ issuer, resource }: Binding, effect: Effect.Effect<A, AuthReason>): Effect.Effect<A, AuthReason> {
    return this.#parts.store.exclusive(this.#key("renewal", issuer, resource), effect)
  }

  #alone<A>(effect: Effect.Effect<A, AuthReason>): Effect.Effect<A, AuthReason> {
    return this.#parts.store.exclusive(this.#lock, effect)
  }

  /** What somebody else has kept meanwhile. */
  #otherThan(login: Login | undefined): Effect.Effect<Login | undefined, AuthReason> {
    return Effect.map(this.kept, (kept) =>
      kept === undefined || (login !== undefined && isSameToken(kept.grant, login.grant)) ? undefined : kept
    )
  }

  #renewed(login: Login): Effect.Effect<Login | undefined, AuthReason> {
    return Effect.gen({ self: this }, function* () {
      const now = yield* Clock.currentTimeMillis
      const other = yield* this.#otherThan(login)
      if (other !== undefined && !isExpiring(other.grant, now)) return other
      // While it is only about to expire, what cannot be renewed now still serves.
      const serves = (login.grant.expiresAt ?? Infinity) > now ? login : undefined
      const renewed = Effect.catchIf(this.#refreshed(login), isOutage, (reason) =>
        serves === undefined ? Effect.fail(reason) : Effect.succeed(serves)
      )
      return (yield* renewed) ?? serves
    })
  }

  /** The refresh grant; nothing where it does not help, and then what is of no use is forgotten. */
  #refreshed(login: Login): Effect.Effect<Login | undefined, AuthReason> {
    return this.#changing(login.grant, this.#refreshedAlone(login))
  }

  #refreshedAlone(login: Login): Effect.Effect<Login | undefined, AuthReason> {
    const { peer, source } = this.#parts
    return Effect.gen({ self: this }, function* () {
      const { clientId, issuer, refreshToken, resource } = login.grant
      const kept = yield* this.kept
      // A login that somebody has ended meanwhile is not brought back.
      if (refreshToken === undefined || kept === undefined) return undefined
      const isOther = !isSameToken(kept.grant, login.grant)
      if (isOther && !isExpiring(kept.grant, yield* Clock.currentTimeMillis)) return kept
      const server = yield* discoverServer(peer, issuer)
      const client = yield* source.client(login.grant, server)
      // A token is of use to the client only that it was issued to.
      if (client?.id !== clientId) return undefined
      const asked = requestToken(peer, server, {
        grant: "refresh_token",
        parameters: { refresh_token: Redacted.value(refreshToken), resource },
        client,
        dpop: login.dpop
      })
      const renewed = Effect.gen({ self: this }, function* () {
        const issued = yield* Effect.catchTag(asked, "Refused", (reason) => this.#refreshRefused(login, reason))
        if (issued === undefined) return undefined
        this.#refusals = 0
        return yield* this.#keep(yield* this.#granted(login.grant, issued, refreshToken), login.dpop, "refresh")
      })
      // The token that is shown is spent once it was sent, so whoever goes away meanwhile would lose the login.
      return yield* Effect.uninterruptible(renewed)
    })
  }

  /** What follows from a refusal (RFC 6749 section 5.2): the login is forgotten only where it is certain to be over. */
  #refreshRefused(login: Login, reason: InstanceType<typeof AuthReason.Refused>): Effect.Effect<undefined, AuthReason> {
    const { source, store } = this.#parts
    const { grant } = login
    return Effect.gen({ self: this }, function* () {
      const isOver = reason.error === "invalid_grant" || isUnknownClient(reason)
      if (!isOver && ++this.#refusals < maxRefusals) return yield* Effect.fail(reason)
      this.#refusals = 0
      if (isUnknownClient(reason)) yield* source.forget(store, grant.issuer)
      yield* store.remove(this.#grantKey(grant), Kept.grant.encode(grant))
      return undefined
    })
  }

  /** A new authorization. @param earlier what it adds rights to */
  #authorized(found: Discovered, earlier: Login | undefined, demand: Demand): Effect.Effect<Login, AuthReason> {
    const { peer, source, store, wanted } = this.#parts
    return Effect.gen({ self: this }, function* () {
      const requested = earlier?.grant.requested ?? []
      const offer = { supported: found.resource.scopes, metadata: found.server.metadata }
      yield* this.#demandBinding(found.server.issuer)
      const scopes = scopesFor({ wanted, challenged: demand.scopes, requested }, offer, source.renews)
      const key = yield* this.#keyFor(found)
      const dpop = key === undefined ? undefined : yield* dpopOf(key)
      const asking: Asking = { peer, store, found, scopes, dpop }
      const { clientId, issued, registered } = yield* Effect.scoped(source.obtain(asking))
      const grant = yield* this.#granted(
        {
          id: crypto.randomUUID(),
          issuer: found.server.issuer,
          resource: found.resource.resource,
          clientId,
          requested: scopes,
          ...(registered === undefined ? {} : { registered }),
          ...(key === undefined ? {} : { bindingKey: key })
        },
        issued
      )
      return yield* this.#changing(grant, this.#keep(grant, dpop, "authorization"))
    })
  }

  /** A client that was registered with one authorization server is shown to no other (AUTH-06, AUTH-11). */
  #demandBinding(issuer: string): Effect.Effect<void, AuthReason> {
    const { hints, source } = this.#parts
    if (source.clientId === undefined || hints.issuer !== undefined) return Effect.void
    return Effect.flatMap(this.#binding, (binding) => {
      if (binding === undefined || binding.issuer === issuer) return Effect.void
      const why = `the client ${source.clientId} was used at ${binding.issuer}, and the server now names ${issuer}; give the "issuer" and the client that belong together, or log out first`
      return Effect.fail(new AuthReason.NoClient({ why, rule: "MCP authorization, authorization server binding" }))
    })
  }

  /** The key that the token is to be bound to, where that is wanted. */
  #keyFor({ server }: Discovered): Effect.Effect<Redacted.Redacted | undefined, AuthReason> {
    if (!this.#parts.dpop) return Effect.succeed(undefined)
    const algorithms = own(server.metadata, "dpop_signing_alg_values_supported")
    if (Array.isArray(algorithms) && algorithms.includes("ES256")) return makeBindingKey
    const why = `${server.issuer} does not say that it binds tokens to keys with ES256, which the "dpop" setting demands`
    return Effect.fail(new AuthReason.Unsupported({ why, rule: "RFC 9449 section 5.1" }))
  }

  /** What is kept of a token, where it is bound to a key if that was demanded. @param earlier what renews it where nothing new does */
  #granted(
    { bindingKey, clientId, id, issuer, registered, requested, resource }: Omit<Grant, "token" | "scheme">,
    issued: Issued,
    earlier?: Redacted.Redacted
  ): Effect.Effect<Grant, AuthReason> {
    const wanted = bindingKey === undefined ? "bearer" : "dpop"
    if (issued.type !== wanted) {
      const why = `${issuer} gave a token of the type ${quoted(issued.type.slice(0, 40))}, where one of the type ${wanted} was asked for`
      return Effect.fail(new AuthReason.Unsupported({ why, rule: "RFC 6749 section 7.1" }))
    }
    const { token, validity } = issued
    const refreshToken = this.#parts.source.renews ? (issued.refreshToken ?? earlier) : undefined
    return Effect.succeed({
      id,
      issuer,
      resource,
      clientId,
      requested,
      token,
      scheme: bindingKey === undefined ? "Bearer" : "DPoP",
      ...(registered === undefined ? {} : { registered }),
      ...(bindingKey === undefined ? {} : { bindingKey }),
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...validity
    })
  }

  #keep(grant: Grant, dpop: Dpop | undefined, untried: Login["untried"]): Effect.Effect<Login, AuthReason> {
    const { store } = this.#parts
    const { issuer, resource } = grant
    return Effect.as(
      Effect.andThen(
        store.write(this.#grantKey(grant), Kept.grant.encode(grant)),
        store.write(this.#bindingKey, Kept.binding.encode({ issuer, resource }))
      ),
      { grant, dpop, untried }
    )
  }
}

const isSameToken = (left: Grant, right: Grant): boolean => Redacted.value(left.token) === Redacted.value(right.token)

const isOutage = ({ _tag }: AuthReason): boolean => _tag === "Unavailable"

const dpopOf = (bindingKey: Redacted.Redacted): Effect.Effect<Dpop | undefined> =>
  Effect.map(readBindingKey(bindingKey), (key) => (key === undefined ? undefined : new Dpop(key)))

/** A kept login as it is used; one whose key cannot be read is none. */
const loginOf = (grant: Grant): Effect.Effect<Login | undefined> => {
  const { bindingKey } = grant
  if (bindingKey === undefined) return Effect.succeed({ grant, dpop: undefined, untried: undefined })
  return Effect.map(dpopOf(bindingKey), (dpop) =>
    dpop === undefined ? undefined : { grant, dpop, untried: undefined }
  )
}

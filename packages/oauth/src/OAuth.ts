/**
 * Providers of tokens for the `auth` setting of a client, and the logins behind them. A provider is inert: it may serve
 * many sessions, and those with one store share one login.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { TokenProvider } from "@treadle/client"
import { AuthError, AuthReason } from "./AuthError.ts"
import type { Browser } from "./Browser.ts"
import { makeAuthorizer } from "./flow/Authorizer.ts"
import { findChallenge } from "./flow/Challenge.ts"
import { Logins } from "./flow/Logins.ts"
import {
  credentialsSource,
  enterpriseSource,
  workloadSource,
  type MachineClient,
  type SecretSource
} from "./flow/MachineSource.ts"
import { policyFor, type Network, type OAuthPeer } from "./flow/OAuthPeer.ts"
import type { PrivateKeyText } from "./flow/SigningKey.ts"
import { codeSource, type Source } from "./flow/Source.ts"
import { sendByFetch, type OAuthSender } from "./OAuthSender.ts"
import { makeMemoryStore, type TokenStore } from "./TokenStore.ts"

/** A secret; as `Redacted` it does not show when it is printed. */
export type Secret = string | Redacted.Redacted

/** A secret that is short-lived, asked for each time. */
export type SecretProvider = () => Secret | PromiseLike<Secret> | Effect.Effect<Secret, unknown>

/** Settings of every provider. */
export interface OAuthSettings {
  /** Where logins are kept: in memory by default; `@treadle/oauth/node` keeps them in encrypted files. */
  readonly store?: TokenStore
  /** Scopes to ask for beside those that the server demands. */
  readonly scopes?: ReadonlyArray<string>
  /** Where the server's metadata (RFC 9728) is, where it is at none of the usual addresses; no other is asked then. */
  readonly metadata?: string | URL
  /** The authorization server to use, exactly as its metadata writes it; the first that the server names, by default. */
  readonly issuer?: string
  /**
   * Which networks addresses that a server names may lead into: `public` by default, where the server itself is public.
   * `loopback` is for development; `private` allows both.
   */
  readonly network?: Network
  /** What sends the requests of a flow: the global `fetch` by default. */
  readonly sender?: OAuthSender
  /** How long one answer of an authorization server may take, in milliseconds: 30 s by default. */
  readonly timeout?: number
  /** Whether tokens must be bound to a key of this client (DPoP, RFC 9449). Not by default. */
  readonly dpop?: boolean
  /**
   * Keeps the logins of several accounts at one server apart. A store that serves several people needs one for each, or
   * they share a login.
   */
  readonly account?: string
}

/** A client that was registered with the authorization server before. */
export interface RegisteredClient {
  readonly clientId: string
  /** Give the `issuer` with it: otherwise the first authorization server that the MCP server names is shown it. */
  readonly clientSecret?: Secret
  /** PKCS #8 PEM or a JWK as text; it proves who the client is, in place of a secret (RFC 7523). */
  readonly privateKey?: Secret
  /** What the key signs with: `ES256` by default. */
  readonly algorithm?: string
  /** The id that the authorization server knows the key by. */
  readonly keyId?: string
}

/** Settings of a login by a person. */
export interface BrowserSettings extends OAuthSettings, Partial<RegisteredClient> {
  /** Shown to the person who logs in. */
  readonly clientName: string
  /** An https: address with a path, where a document describes the client (CIMD); used where the server takes it. */
  readonly clientMetadataUrl?: string
  /** What a person logs in with. Without one only a login that is kept is used, and a missing one is an error at once. */
  readonly browser?: Browser
}

/** Settings of a client that acts on its own behalf. */
export interface CredentialsSettings extends OAuthSettings, RegisteredClient {}

/** Settings of a client whose user is vouched for by the identity provider of an employer. */
export interface EnterpriseSettings extends OAuthSettings, RegisteredClient {
  readonly identityProvider: RegisteredClient & {
    readonly issuer: string
    readonly tokenEndpoint: string | URL
  }
  /** The ID token of the user's single sign-on. */
  readonly idToken: SecretProvider
}

/** Settings of a workload that its platform vouches for. */
export interface WorkloadSettings extends OAuthSettings, RegisteredClient {
  /** The platform's JWT, whose audience is the authorization server. */
  readonly assertion: SecretProvider
}

/** A provider of tokens, and the logins that it keeps. */
export interface OAuthProvider extends TokenProvider {
  /** Logs in now, where no login is kept that can be used; a session does it by itself when it is refused. */
  readonly login: (server: string | URL) => Effect.Effect<void, AuthError>
  /** Forgets the login. @returns whether there was one */
  readonly logout: (server: string | URL) => Effect.Effect<boolean, AuthError>
  /** Whether a login is kept. */
  readonly isLoggedIn: (server: string | URL) => Effect.Effect<boolean, AuthError>
}

const redacted = (secret: Secret): Redacted.Redacted => (Redacted.isRedacted(secret) ? secret : Redacted.make(secret))

const keyOf = ({ algorithm, keyId, privateKey }: Partial<RegisteredClient>): PrivateKeyText | undefined =>
  privateKey === undefined ? undefined : { privateKey: redacted(privateKey), algorithm, keyId }

const machineOf = (client: RegisteredClient): MachineClient => ({
  id: client.clientId,
  secret: client.clientSecret === undefined ? undefined : redacted(client.clientSecret),
  key: keyOf(client)
})

/** @param setting what gives it, for the message; what it fails with may quote it and is not told */
const secretSource = (setting: string, give: SecretProvider): SecretSource => {
  const why = `the "${setting}" setting gave no token; make sure that whatever it asks is logged in`
  const given = Effect.tryPromise(async () => {
    const secret = give()
    return Effect.isEffect(secret) ? secret : Effect.succeed(await secret)
  })
  return Effect.mapBoth(Effect.flatten(given), {
    onSuccess: redacted,
    onFailure: () => new AuthReason.LoginNeeded({ why })
  })
}

/** The address of a server as messages show it: without credentials and query, which may be secrets. */
const shownAddress = (url: URL): string => `${url.origin}${url.pathname}`

const noAddress = (server: string | URL): AuthError => {
  const why = `${JSON.stringify(String(server))} is no URL; write one such as https://host/mcp`
  return new AuthError({ reason: new AuthReason.LoginNeeded({ why }), server: String(server) })
}

/** @param owner names whose logins these are within a store */
const provider = (source: Source, owner: ReadonlyArray<string>, settings: OAuthSettings): OAuthProvider => {
  const { store = makeMemoryStore() } = settings
  const logouts = { count: 0 }
  const peerOf = (server: URL): OAuthPeer => ({
    server,
    send: settings.sender ?? sendByFetch,
    policy: policyFor(server, settings.network ?? "public"),
    timeout: settings.timeout ?? 30_000
  })
  const loginsOf = (peer: OAuthPeer): Logins =>
    new Logins({
      peer,
      store,
      source,
      owner: JSON.stringify([...owner, settings.account ?? ""]),
      wanted: settings.scopes ?? [],
      hints: {
        metadata: settings.metadata === undefined ? undefined : String(settings.metadata),
        issuer: settings.issuer
      },
      dpop: settings.dpop === true,
      logouts
    })
  const at = <A>(
    server: string | URL,
    use: (logins: Logins, peer: OAuthPeer) => Effect.Effect<A, AuthReason>
  ): Effect.Effect<A, AuthError> => {
    if (!URL.canParse(server)) return Effect.fail(noAddress(server))
    const peer = peerOf(new URL(server))
    const shown = shownAddress(peer.server)
    return Effect.mapError(use(loginsOf(peer), peer), (reason) => new AuthError({ reason, server: shown }))
  }
  return {
    open: (server) => makeAuthorizer(loginsOf(peerOf(server)), shownAddress(server)),
    login: (server) =>
      at(server, (logins, peer) =>
        Effect.gen(function* () {
          const kept = yield* logins.kept
          if (kept !== undefined && (yield* logins.fresh(kept)) !== undefined) return
          yield* logins.replace(kept, yield* findChallenge(peer))
        })
      ),
    logout: (server) => at(server, (logins) => logins.forget),
    isLoggedIn: (server) => at(server, (logins) => Effect.map(logins.kept, (kept) => kept !== undefined))
  }
}

const nobody: Browser = {
  visit: () =>
    Effect.fail(
      new AuthReason.LoginNeeded({
        why: 'a person has to log in, and there is no "browser" setting; log in where there is one, with the same store'
      })
    )
}

/**
 * A person logs in, in a browser: the authorization code flow with PKCE, with registration where it is needed.
 *
 * @example
 * ```ts
 * import { McpClient } from "@treadle/client"
 * import { OAuth } from "@treadle/oauth"
 * import * as Effect from "effect/Effect"
 *
 * const auth = OAuth.browser({ clientName: "Box office" })
 * const session = McpClient.http("https://box.example/mcp", { auth })
 * Effect.isEffect(session) // => true
 * ```
 */
const browser = (settings: BrowserSettings): OAuthProvider => {
  const { browser: shown = nobody, clientId, clientMetadataUrl, clientName, clientSecret } = settings
  const identity = {
    name: clientName,
    id: clientId,
    secret: clientSecret === undefined ? undefined : redacted(clientSecret),
    key: keyOf(settings),
    metadataUrl: clientMetadataUrl
  }
  return provider(codeSource(identity, shown), ["browser", clientId ?? clientMetadataUrl ?? clientName], settings)
}

/** The client acts on its own behalf, with its secret or its key (`client_credentials`). */
const clientCredentials = (settings: CredentialsSettings): OAuthProvider =>
  provider(credentialsSource(machineOf(settings)), ["client_credentials", settings.clientId], settings)

/** The user is vouched for by the identity provider of an employer (enterprise-managed authorization). */
const enterprise = (settings: EnterpriseSettings): OAuthProvider => {
  const { idToken, identityProvider } = settings
  const source = enterpriseSource(machineOf(settings), {
    issuer: identityProvider.issuer,
    tokenEndpoint: identityProvider.tokenEndpoint,
    client: machineOf(identityProvider),
    idToken: secretSource("idToken", idToken)
  })
  return provider(source, ["enterprise", settings.clientId], settings)
}

/** The workload is vouched for by the platform that it runs on (workload identity federation). */
const workload = (settings: WorkloadSettings): OAuthProvider =>
  provider(
    workloadSource(machineOf(settings), secretSource("assertion", settings.assertion)),
    ["workload", settings.clientId],
    settings
  )

export const OAuth = { browser, clientCredentials, enterprise, workload }

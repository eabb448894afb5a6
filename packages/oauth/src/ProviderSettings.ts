/**
 * What the providers of tokens may be told, and by which names.
 */
import { namesOf } from "@treadle/protocol/json"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Network } from "./AddressGuard.ts"
import type { Browser } from "./Browser.ts"
import type { OAuthSender } from "./OAuthSender.ts"
import type { TokenStore } from "./TokenStore.ts"

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
  /** Needs the `issuer` beside it, which alone is shown it: an MCP server may name any authorization server. */
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

const oauth = namesOf<OAuthSettings>({
  store: true,
  scopes: true,
  metadata: true,
  issuer: true,
  network: true,
  sender: true,
  timeout: true,
  dpop: true,
  account: true
})

const registered = namesOf<RegisteredClient>({
  clientId: true,
  clientSecret: true,
  privateKey: true,
  algorithm: true,
  keyId: true
})

/** The settings of each provider, by name. */
export const providerNames = {
  browser: [...oauth, ...registered, "clientName", "clientMetadataUrl", "browser"],
  clientCredentials: [...oauth, ...registered],
  enterprise: [...oauth, ...registered, "identityProvider", "idToken"],
  identityProvider: [...registered, "issuer", "tokenEndpoint"],
  workload: [...oauth, ...registered, "assertion"]
}

/**
 * OAuth for clients of MCP servers. Verifiers of tokens, for servers, are in `@treadle/oauth/verify`; the browser, the
 * encrypted store and the guarded connections of Node in `@treadle/oauth/node`.
 */

/** Providers of tokens. */
export { OAuth, type OAuthProvider } from "./OAuth.ts"
export type {
  BrowserSettings,
  CredentialsSettings,
  EnterpriseSettings,
  OAuthSettings,
  RegisteredClient,
  Secret,
  SecretProvider,
  WorkloadSettings
} from "./ProviderSettings.ts"

/** Where logins are kept, and how a person logs in. */
export { makeMemoryStore, type TokenStore } from "./TokenStore.ts"
export type { Browser, BrowserVisit } from "./Browser.ts"

/** Which addresses are called, and by what. */
export type { AddressPolicy, Network } from "./AddressGuard.ts"
export type { OAuthRequest, OAuthSender } from "./OAuthSender.ts"

/** Why it failed. */
export { AuthError, AuthReason, type LoginFailure, type StoreFailure, type Tried } from "./AuthError.ts"

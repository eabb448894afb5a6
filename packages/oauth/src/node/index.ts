/** OAuth on Node: the browser of the system, encrypted files, and guarded connections. */

/** Where logins are kept. */
export { makeFileStore, type FileStoreSettings } from "./FileTokenStore.ts"
export type { TokenStore } from "../TokenStore.ts"

/** Providers of tokens. */
export { NodeOAuth } from "./NodeOAuth.ts"

/** How a person logs in. */
export { makeLoopbackBrowser, type LoopbackSettings } from "./LoopbackListener.ts"
export { openBrowser, type BrowserPlace } from "./OpenBrowser.ts"
export type { Browser, BrowserVisit } from "../Browser.ts"

/** What sends requests only where they may go. */
export { guardedSender, makeGuardedSender, type GuardedSenderSettings } from "./GuardedSender.ts"
export type { OAuthRequest, OAuthSender } from "../OAuthSender.ts"
export type { AddressPolicy } from "../AddressGuard.ts"

/** OAuth on Node: the browser of the system, encrypted files, and guarded connections. */

/** What sends requests only where they may go. */
export { guardedSender, makeGuardedSender, type GuardedSenderSettings } from "./GuardedSender.ts"
export type { TokenStore } from "../TokenStore.ts"

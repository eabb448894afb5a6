/** OAuth on Node: the browser of the system, encrypted files, and guarded connections. */
export type { TokenStore } from "../TokenStore.ts"

/**
 * The providers of `@treadle/oauth` as a program on Node uses them: the browser of the system, logins in encrypted files,
 * and requests that go only where they may.
 */
import { OAuth, type OAuthProvider } from "../OAuth.ts"
import type { BrowserSettings, CredentialsSettings, EnterpriseSettings, WorkloadSettings } from "../ProviderSettings.ts"
import { makeFileStore } from "./FileTokenStore.ts"
import { guardedSender } from "./GuardedSender.ts"
import { makeLoopbackBrowser } from "./LoopbackListener.ts"

/**
 * A person logs in with the browser of the system, once: the login is kept in encrypted files and shared by all programs
 * of this user that have the same `clientName` or client id.
 *
 * @param settings those of `OAuth.browser`; `browser`, `store` and `sender` replace what is used here
 *
 * @example
 * ```ts
 * import { connectHttp } from "@treadle/client/node"
 * import { NodeOAuth } from "@treadle/oauth/node"
 *
 * const names = async (url: string) => {
 *   await using client = await connectHttp(url, { auth: NodeOAuth.browser({ clientName: "Box office" }) })
 *   const tools = await client.listTools()
 *   return tools.map((tool) => tool.name)
 * }
 * typeof names // => "function"
 * ```
 */
const browser = (settings: BrowserSettings): OAuthProvider =>
  OAuth.browser({ browser: makeLoopbackBrowser(), store: makeFileStore(), sender: guardedSender, ...settings })

/** `OAuth.clientCredentials` over guarded connections; its tokens last as long as the process. */
const clientCredentials = (settings: CredentialsSettings): OAuthProvider =>
  OAuth.clientCredentials({ sender: guardedSender, ...settings })

/** `OAuth.enterprise` over guarded connections; its tokens last as long as the process. */
const enterprise = (settings: EnterpriseSettings): OAuthProvider =>
  OAuth.enterprise({ sender: guardedSender, ...settings })

/** `OAuth.workload` over guarded connections; its tokens last as long as the process. */
const workload = (settings: WorkloadSettings): OAuthProvider => OAuth.workload({ sender: guardedSender, ...settings })

/** Providers of tokens for a program on Node. */
export const NodeOAuth = { browser, clientCredentials, enterprise, workload }

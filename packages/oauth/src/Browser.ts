/**
 * The contract of what a person logs in with: a page is opened, and the authorization server sends the person back to an
 * address of ours. `@treadle/oauth/node` opens the browser of the system; a web application redirects by itself.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LoginFailure } from "./AuthError.ts"

/** A login that is being prepared, until its scope closes. */
export interface BrowserVisit {
  /** Where the authorization server is to send the person back to, exactly as it is registered and sent. */
  readonly redirectUri: string
  /**
   * Shows a page, and waits until the person comes back.
   *
   * @param url an https: address, or an http: one on a loopback name
   * @param state what the way back must carry; anything else that comes there is not the answer
   * @returns the parameters that came back, unchecked but for the state
   */
  readonly open: (url: URL, state: string) => Effect.Effect<URLSearchParams, LoginFailure>
}

/** What a person logs in with. */
export interface Browser {
  /**
   * Makes ready for one login.
   *
   * @param preferred the address that a client was registered with; it is taken again where that is possible
   */
  readonly visit: (preferred?: string) => Effect.Effect<BrowserVisit, LoginFailure, Scope.Scope>
}

/**
 * The contract of what authorizes requests over HTTP. `@treadle/oauth` has providers; one of your own fits too. A fixed
 * token needs none: the `headers` setting sends it, wins over a provider, and starts no flow.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { HeaderRecord } from "./HeaderRecord.ts"
import type { McpReason } from "./McpError.ts"

/** A request as it is sent: a redirect that is followed makes another one. */
export interface TokenRequest {
  readonly method: string
  readonly url: URL
  /** The exact text that is sent, where there is a body. */
  readonly body: string | undefined
}

/** What a provider sees of a response. */
export interface TokenResponse {
  readonly status: number
  readonly header: (name: string) => string | null
}

/** Why a request is not authorized. */
export type Unauthorized = InstanceType<typeof McpReason.Unauthorized>

/**
 * What authorizes the requests of one session. While it works, the time limits of requests stand still; only the DELETE
 * that ends a session waits a second at most, and is not sent again.
 */
export interface Tokens {
  /** The headers that authorize a request; none where nothing may be shown to that address. */
  readonly headers: (request: TokenRequest) => Effect.Effect<HeaderRecord, Unauthorized>
  /** Hears of every response, whatever its status. */
  readonly heard?: (request: TokenRequest, response: TokenResponse) => void
  /**
   * A request was answered 401 or 403.
   *
   * @param sent the headers that authorized it
   * @returns whether it is sent again, with headers asked for anew
   */
  readonly refused: (
    request: TokenRequest,
    response: TokenResponse,
    sent: HeaderRecord
  ) => Effect.Effect<boolean, Unauthorized>
  /** Names on whose behalf is called: what a server sends to one caller is not kept for another. */
  readonly caller: Effect.Effect<string>
}

/** What authorizes requests. A provider is inert and may serve many sessions; what it opens is live. */
export interface TokenProvider {
  /** @param server the address of the session, as it was given */
  readonly open: (server: URL) => Effect.Effect<Tokens, never, Scope.Scope>
}

/**
 * Secrets that were agreed with callers, in the place of an authorization server. Inert; a door compares them.
 */
import * as Redacted from "effect/Redacted"

/** What agreed secrets are made with. */
export interface StaticBearerSettings {
  /** The token of each caller, by the id that its calls have as `principal`. */
  readonly tokens: { readonly [id: string]: string | Redacted.Redacted }
  /** What each caller may do; nothing that needs a scope, where it is not here. */
  readonly scopes?: { readonly [id: string]: ReadonlyArray<string> }
}

/** Agreed secrets, as the setting `auth` takes them. No text that is made of it shows one. */
export interface StaticBearer {
  readonly _tag: "StaticBearer"
  readonly tokens: ReadonlyMap<string, Redacted.Redacted>
  readonly scopes: { readonly [id: string]: ReadonlyArray<string> }
}

/**
 * Callers with a token of their own, which they send as `Authorization: Bearer …`. Every token is compared in whole with
 * every one that is shown, so that the time it takes says nothing of them.
 *
 * @param settings `tokens` by the id of their callers, each of letters, digits and `- . _ ~ + /`; and `scopes` by the
 * same ids. Take 32 random bytes for a token, as `openssl rand -hex 32` prints them.
 *
 * @example
 * ```ts
 * import { Mcp, StaticBearer } from "@treadle/server"
 * import { McpHttp } from "@treadle/server/http"
 *
 * const auth = StaticBearer.make({ tokens: { robot: "2f6d1c0e9b8a4573" } })
 * const fetch = McpHttp.fetch(Mcp.make({ name: "box", version: "1.0.0" }), { auth })
 * const response = await fetch(new Request("http://localhost/mcp", { method: "POST" }))
 * response.headers.get("www-authenticate") // => "Bearer"
 * ```
 */
const make = ({ scopes = {}, tokens }: StaticBearerSettings): StaticBearer => ({
  _tag: "StaticBearer",
  tokens: new Map(
    // Of tokens without ids nobody would be known; the door says what is missing.
    Object.entries(Array.isArray(tokens) ? {} : (tokens ?? {})).map(([id, token]) => [
      id,
      Redacted.isRedacted(token) ? token : Redacted.make(token)
    ])
  ),
  scopes
})

/** Makes the setting `auth` of doors whose callers show agreed secrets. */
export const StaticBearer = { make }

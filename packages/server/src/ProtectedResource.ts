/**
 * A server as a protected resource of OAuth: which tokens it takes, and where they are issued. Inert; a door serves it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
import type { ScopeHierarchy } from "./AuthScope.ts"
import type { TokenVerifier } from "./TokenVerifier.ts"

/** Which scopes there are. */
export interface ResourceScopes {
  /** What every request needs. A 401 names them, and a token without them is answered 403. */
  readonly required?: ReadonlyArray<string>
  /** What clients may ask for, as the metadata lists it. */
  readonly supported?: ReadonlyArray<string>
  /** Which scopes follow from others, over any number of steps (AUTH-24). */
  readonly implies?: ScopeHierarchy
}

/** What a protected resource is made with. */
export interface ProtectedResourceSettings {
  /** Says whether a token is valid and meant for this resource. */
  readonly verifier: TokenVerifier
  /** The issuers of tokens, at least one; clients are told them letter by letter. */
  readonly authorizationServers: ReadonlyArray<string>
  /**
   * The public address of the endpoint, such as `https://mcp.example/mcp`: what tokens are for. Clients and the verifier
   * are told it letter by letter, and no header of a request ever changes it. `McpNode.listen` on a loopback address
   * takes its own, where none is given.
   */
  readonly resource?: string
  readonly scopes?: ResourceScopes
  /** For people: what it is called. */
  readonly name?: string
  /** For people: the address of a page about it. */
  readonly documentation?: string
}

/** A protected resource, as the setting `auth` takes it. */
export interface ProtectedResource {
  readonly _tag: "ProtectedResource"
  readonly settings: ProtectedResourceSettings
}

/**
 * A resource that is protected by tokens of authorization servers.
 *
 * Its door publishes the metadata of RFC 9728 at `/.well-known/oauth-protected-resource` with and without the path of
 * `resource`, answers requests without a valid token with 401 before it reads their body, and makes a token the
 * `principal` of its calls. What is wrong with a setting is said where the door is made.
 *
 * @param settings `verifier` and `authorizationServers`; `resource`, except on a loopback address of `McpNode.listen`;
 * and optionally `scopes`, `name`, `documentation`
 *
 * @example
 * ```ts
 * import { Mcp, ProtectedResource, TokenRefused, TokenVerifier } from "@treadle/server"
 * import { McpHttp } from "@treadle/server/http"
 * import * as Effect from "effect/Effect"
 *
 * const auth = ProtectedResource.make({
 *   resource: "https://mcp.example/mcp",
 *   authorizationServers: ["https://login.example"],
 *   verifier: TokenVerifier.make(() => Effect.fail(new TokenRefused({ why: "there are no tokens here" })))
 * })
 * const fetch = McpHttp.fetch(Mcp.make({ name: "box", version: "1.0.0" }), { auth, hosts: ["mcp.example"] })
 * const response = await fetch(new Request("https://mcp.example/mcp", { method: "POST" }))
 * response.status // => 401
 * ```
 */
const make = (settings: ProtectedResourceSettings): ProtectedResource => ({ _tag: "ProtectedResource", settings })

/** Makes the setting `auth` of doors whose callers show tokens of an authorization server. */
export const ProtectedResource = { make }

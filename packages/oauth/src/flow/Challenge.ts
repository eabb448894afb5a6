/**
 * What a refusal says about how to authorize (AUTH-02, AUTH-20).
 */
import * as Effect from "effect/Effect"
import { parseChallenges } from "@treadle/protocol/http"
import { call, type OAuthPeer } from "./OAuthPeer.ts"
import { scopesAmong } from "./Scopes.ts"

/** What a refusal demands. */
export interface Demand {
  /** Where it says that the resource's document is. */
  readonly metadata: string | undefined
  readonly scopes: ReadonlyArray<string>
  /** Whether more rights are needed, which a refresh does not give. */
  readonly more: boolean
  /** The code, such as `insufficient_scope`. */
  readonly error: string | undefined
  /** Why, in the server's own words. */
  readonly description: string | undefined
}

/** The challenges that concern tokens. */
const schemes = new Set(["bearer", "dpop"])

/** What the refusal of a request demands. @param header `WWW-Authenticate` */
export const demandIn = (status: number, header: string | null): Demand => {
  const challenges = parseChallenges(header ?? "").filter(({ scheme }) => schemes.has(scheme))
  const said = (name: string): string | undefined =>
    challenges.map(({ parameters }) => parameters.get(name)).find((value) => value !== undefined)
  return {
    metadata: said("resource_metadata"),
    scopes: scopesAmong((said("scope") ?? "").split(" ")),
    more: status === 403,
    error: said("error"),
    description: said("error_description")
  }
}

/** What a server demands of whoever shows nothing. One that demands nothing, or gives no answer, says nothing. */
export const findChallenge = (peer: OAuthPeer): Effect.Effect<Demand> => {
  const headers = new Headers({ "content-type": "application/json", accept: "application/json, text/event-stream" })
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: {} })
  return Effect.match(call(peer, { url: peer.server, what: "the server", headers, body }), {
    onSuccess: (response) => demandIn(response.status, response.headers.get("www-authenticate")),
    onFailure: () => demandIn(401, null)
  })
}

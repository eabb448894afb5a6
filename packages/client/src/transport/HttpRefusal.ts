/**
 * A response that is no answer, as a reason: what it asks for, how long to wait, and what may be done about it.
 */
import { parseChallenges } from "@treadle/protocol/http"
import { McpReason } from "../McpError.ts"
import type { HttpPeer, HttpResponse } from "./HttpFetch.ts"
import { transportFailure } from "./TransportFailure.ts"

const cures: { readonly [status: number]: string } = {
  403: "the server refuses this caller, or this Origin or Host",
  404: "nothing is served there; check the path of the URL",
  405: "this address takes no POST; check the path of the URL",
  406: "the server cannot answer in a form that MCP clients take",
  413: "the arguments are larger than the server takes",
  429: "too many requests; wait before the next one",
  431: "the headers are larger than the server takes",
  500: "the server failed; its log says why",
  502: "a proxy did not reach the server",
  503: "the server is not available now; try again later",
  504: "a proxy got no answer from the server in time"
}

/** How many characters are told of what came instead of an answer. */
export const excerptLength = 200

const retryAfterOf = (response: HttpResponse): number | undefined => {
  const text = response.headers.get("retry-after")
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  const date = Date.parse(response.headers.get("date") ?? "")
  return Number.isNaN(at) || Number.isNaN(date) ? undefined : Math.max(0, at - date)
}

/** What the challenges of a refusal say first under a name, as far as it is shown. */
const challenged = (response: HttpResponse, name: string): string | undefined => {
  const challenges = parseChallenges(response.headers.get("www-authenticate") ?? "")
  const said = challenges.flatMap(({ parameters }) => parameters.get(name) ?? [])
  return said[0]?.slice(0, excerptLength)
}

/** Whether the server asks who is calling (AUTH-03), or for a caller who may do more (AUTH-22); it did nothing else. */
export const asksForAuthorization = (response: HttpResponse): boolean =>
  response.status === 401 || (response.status === 403 && challenged(response, "error") === "insufficient_scope")

const unauthorized = (peer: HttpPeer, response: HttpResponse): McpReason => {
  const metadata = challenged(response, "resource_metadata")
  const facts = { server: peer.server, ...(metadata === undefined ? {} : { metadata }) }
  const where = metadata === undefined ? "" : `, and says how to get it at ${metadata}`
  if (response.status === 403) {
    const scope = challenged(response, "scope")
    const what = scope === undefined ? "a token for more" : `a token for ${JSON.stringify(scope)}`
    const detail = `the server asks for ${what} (HTTP 403)${where}; log in again for that, if you may`
    return new McpReason.Unauthorized({ ...facts, detail })
  }
  const { tokens } = peer
  // A challenge without an error is what a request without a token gets (RFC 6750 section 3.1).
  if (tokens === undefined && challenged(response, "error") === undefined) return new McpReason.Unauthorized(facts)
  const cure = tokens === undefined ? 'give a good one in "headers"' : "log in again"
  const detail = `the server asks for another token than it was shown (HTTP 401)${where}; ${cure}`
  return new McpReason.Unauthorized({ ...facts, detail })
}

/**
 * Why a response without an answer is a failure.
 *
 * @param text its body, where it was read
 */
export const refused = (peer: HttpPeer, response: HttpResponse, text = ""): McpReason => {
  const { status } = response
  if (asksForAuthorization(response)) return unauthorized(peer, response)
  const location = response.headers.get("location")
  const moved = status >= 300 && status < 400 && location !== null
  const cure = moved ? `it moved to ${location}; connect there if you trust it` : cures[status]
  const body = text.slice(0, excerptLength)
  const retryAfter = retryAfterOf(response)
  return transportFailure(`HTTP ${status}${cure === undefined ? "" : `: ${cure}`}`, {
    status,
    ...(body === "" ? {} : { body }),
    ...(retryAfter === undefined ? {} : { retryAfter })
  })
}

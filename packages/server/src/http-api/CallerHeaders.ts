/**
 * Which headers of a request to the server go with an operation that runs for it: all that tell of the caller, and none
 * that tell of the message or of its connection. Pure.
 */
import type { HeaderTable } from "../CurrentCall.ts"

/** Of the connection (RFC 9110, section 7.6.1), and of what a reply may look like, which is not the operation's. */
const left = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "expect",
  "keep-alive",
  "last-event-id",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Of the body, and of the protocol. Names that begin with a colon are HTTP/2's own. */
const leftFamilies = ["content-", "mcp-", ":"]

const named = (connection: string | undefined): ReadonlyArray<string> =>
  (connection ?? "").split(",").map((name) => name.trim().toLowerCase())

/** The headers that go along. */
export const callerHeaders = (sent: HeaderTable): HeaderTable => {
  const ofConnection = named(sent["connection"])
  return Object.fromEntries(
    Object.entries(sent).filter(
      ([name]) =>
        !left.has(name) && !ofConnection.includes(name) && !leftFamilies.some((family) => name.startsWith(family))
    )
  )
}

/**
 * What pages of other origins are told beside a reply: whether they may send a request at all, and which headers of the
 * reply they may read (HTTP-22).
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
import { HeaderName } from "@treadle/protocol/http"

/** What a page is told. */
export interface PageReply {
  /** Headers of the reply, whatever it is, beside `vary`. */
  readonly headers: { readonly [name: string]: string }
  /** What the reply depends on, to be added to what others say of that. */
  readonly vary: string
  /** Whether the page only asks if it may send: then status 204 and these headers are the whole reply. */
  readonly preflight: boolean
}

/** Seconds for which a page need not ask again; browsers keep it for two hours at most. */
const maxAge = "7200"

/** What a page reads beside the body: the session it was given, and how to authorize. */
const exposed = [HeaderName.session, HeaderName.version, "www-authenticate"].join(", ")

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** The headers that a page asks to send. Those that repeat arguments have names that nobody knows before, so all pass. */
const asked = (names: string | undefined): string =>
  (names ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => headerName.test(name))
    .join(", ")

/**
 * The headers for a page of an origin that is served. It is named, never `*`; credentials of the browser's own, such as
 * cookies, are not admitted.
 *
 * @param verbs what is served, as the header says it
 */
export const pageReply = (
  origin: string,
  method: string | undefined,
  verbs: string,
  header: (name: string) => string | undefined
): PageReply => {
  if (method !== "OPTIONS" || header("access-control-request-method") === undefined) {
    const headers = { "access-control-allow-origin": origin, "access-control-expose-headers": exposed }
    return { headers, vary: "origin", preflight: false }
  }
  const names = asked(header("access-control-request-headers"))
  return {
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": verbs,
      ...(names === "" ? {} : { "access-control-allow-headers": names }),
      "access-control-max-age": maxAge
    },
    vary: "origin, access-control-request-method, access-control-request-headers",
    preflight: true
  }
}

/**
 * What is checked of an HTTP request before its body is read: the verb, Host and Origin against rebinding, and the media
 * types (HTTP-02, HTTP-03, HTTP-23).
 */
import { accepted, isJsonType, type Accepted } from "@treadle/protocol/http"
import type { SessionMode } from "../engine/sessions/CompatSessions.ts"
import { refusal, type Refusal } from "../envelope/Refusal.ts"
import { pageReply, type PageReply } from "./Cors.ts"
import { isLoopbackHost } from "./Loopback.ts"

/** What a guard sees of a request. Header names are in lower case. */
export interface HttpRequestFacts {
  readonly method: string | undefined
  readonly header: (name: string) => string | undefined
  /** Whether the socket is bound to a loopback address; `undefined` where the platform does not tell. */
  readonly loopback: boolean | undefined
}

/** Which Host and Origin values are served. */
export interface GuardSettings {
  /**
   * Host names, with or without port, that are served, or `"any"`; there are no patterns. Loopback names are served
   * beside them, except on a socket that is not bound to loopback.
   */
  readonly hosts?: ReadonlyArray<string> | "any"
  /**
   * Origins that are served beside the server's own, such as `"https://app.example"`, or `"any"`; they are compared
   * without case, and there are no patterns. Pages of loopback names are served without it where a loopback name is the
   * Host.
   */
  readonly origins?: ReadonlyArray<string> | "any"
  /**
   * Whether pages of the origins that are served may call from a browser (CORS): preflights are answered, and every reply
   * names the origin. `true` by default where `origins` lists some, else `false`; say `true` for `"any"` or for pages of
   * loopback names, and `false` where the application answers browsers by itself.
   */
  readonly cors?: boolean
}

/** What a guard is made of. */
export interface GuardParts extends GuardSettings {
  /** Whether there are compat sessions; without them POST is the only verb. */
  readonly sessions?: SessionMode
  /** The verbs that are served, where it is not the sessions that decide. */
  readonly verbs?: ReadonlyArray<string>
}

const webScheme = /^https?:\/\//i
const port = /:\d+$/

/** Whether a host, with or without a port, is a name of this machine. */
const isLoopback = (host: string): boolean => isLoopbackHost(host.replace(port, ""))

/** What is sent with each: a message; the wish for a session's stream; the end of a session. */
const verbsOf = ({ sessions }: GuardParts): ReadonlyArray<string> =>
  sessions === "off" ? ["POST"] : ["POST", "GET", "DELETE"]

/** How many accepted host values are remembered. */
const remembered = 64

/** Checks the Host header, remembering values that passed. */
const hostGuard = ({ hosts }: GuardSettings) => {
  const names = hosts === undefined || hosts === "any" ? [] : hosts.map((host) => host.toLowerCase())
  const near = new Set<string>()
  const far = new Set<string>()
  const served = (host: string, loopback: boolean | undefined): boolean => {
    if (hosts === "any") return true
    const lower = host.toLowerCase()
    if (names.includes(lower) || names.includes(lower.replace(port, ""))) return true
    return loopback !== false && isLoopback(host)
  }
  return (host: string | undefined, loopback: boolean | undefined): Refusal | undefined => {
    const passed = loopback === false ? far : near
    if (host !== undefined && passed.has(host)) return undefined
    if (host === undefined) return hosts === "any" ? undefined : refusal("host", "The Host header is missing")
    if (!served(host, loopback)) {
      return refusal(
        "host",
        `Host ${host} is not served here. Add it to the setting hosts: ["${host.replace(port, "")}"]`
      )
    }
    if (passed.size < remembered) passed.add(host)
    return undefined
  }
}

const sameOrigin = (origin: string, host: string | undefined): boolean => {
  const at = origin.indexOf("://")
  return at > 0 && host !== undefined && origin.slice(at + 3).toLowerCase() === host.toLowerCase()
}

/** A page of this machine, asking for a server of this machine by a loopback name. */
const isLocalPage = (origin: string, host: string | undefined): boolean =>
  webScheme.test(origin) && isLoopback(origin.replace(webScheme, "")) && isLoopback(host ?? "")

/** Checks an origin; neither schemes nor hosts tell upper case from lower. */
const originGuard = ({ origins }: GuardSettings) => {
  if (origins === "any") return () => true
  const listed = origins === undefined ? undefined : new Set(origins.map((origin) => origin.toLowerCase()))
  return (origin: string, host: string | undefined, loopback: boolean | undefined): boolean =>
    sameOrigin(origin, host) ||
    (listed === undefined ? loopback !== false && isLocalPage(origin, host) : listed.has(origin.toLowerCase()))
}

const hostOf = (header: HttpRequestFacts["header"]): string | undefined => header("host") ?? header(":authority")

const unacceptable =
  "The Accept header admits neither application/json nor text/event-stream; send both, or */*, or no Accept header"

/** Makes the guard of one door. */
export const makeGuard = (settings: GuardParts) => {
  const guardHost = hostGuard(settings)
  const isServed = originGuard(settings)
  const { verbs = verbsOf(settings) } = settings
  const allow = verbs.join(", ")
  const { cors = Array.isArray(settings.origins) } = settings
  return {
    /** The verbs that are served, as the `Allow` header says them. */
    allow,
    /** What a page of another origin is told, where it is served; nothing is told to anybody else. */
    page: ({ header, loopback, method }: HttpRequestFacts): PageReply | undefined => {
      const origin = cors ? header("origin") : undefined
      if (origin === undefined) return undefined
      const host = hostOf(header)
      return guardHost(host, loopback) === undefined && isServed(origin, host, loopback)
        ? pageReply(origin, method, allow, header)
        : undefined
    },
    /** Verb, Host and Origin: of any request. */
    request: ({ method, header, loopback }: HttpRequestFacts): Refusal | undefined => {
      const host = hostOf(header)
      const wrongHost = guardHost(host, loopback)
      if (wrongHost !== undefined) return wrongHost
      const origin = header("origin")
      if (origin !== undefined && !isServed(origin, host, loopback)) {
        return refusal("origin", `Origin ${origin} is not served here. Add it to the setting origins: ["${origin}"]`)
      }
      return method !== undefined && verbs.includes(method)
        ? undefined
        : refusal("verb", `${method ?? "This verb"} is not served here; send a JSON-RPC message with POST`)
    },
    /** Media types: of a GET, which takes events only. */
    stream: (header: (name: string) => string | undefined): Refusal | undefined =>
      accepted(header("accept")).events
        ? undefined
        : refusal("accept", "A stream of events is all there is to GET; send Accept: text/event-stream"),
    /** Media types: of a POST. */
    media: (header: (name: string) => string | undefined): Refusal | Accepted => {
      const type = header("content-type")
      if (!isJsonType(type)) {
        return refusal("content-type", `Content-Type must be application/json in UTF-8, not ${type ?? "absent"}`)
      }
      const encoding = header("content-encoding")
      if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
        return refusal("content-type", `Content-Encoding ${encoding} is not decoded here; send the body as it is`)
      }
      const admits = accepted(header("accept"))
      return admits.json || admits.events ? admits : refusal("accept", unacceptable)
    }
  }
}

export type Guard = ReturnType<typeof makeGuard>

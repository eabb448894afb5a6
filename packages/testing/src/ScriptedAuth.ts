/**
 * An MCP server that is protected by tokens, and the authorization servers that issue them, each on a loopback port of
 * its own. They say what a test tells them to, do all right where it tells them nothing, and record what they get in one
 * order.
 *
 * They write raw text and use no codec and no OAuth library, so they cannot share a bug with the code under test.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AuthSeen, Canned, Issued } from "./AuthScript.ts"
import { answerAuth } from "./AuthServer.ts"
import type { AuthServer, AuthWorld } from "./AuthWorld.ts"
import { answerMcp, resourceOf, type ProtectedMcp } from "./ProtectedMcp.ts"
import { Recorder } from "./Recorder.ts"
import { scriptedHttp, type HttpScript, type HttpScriptReply, type HttpSeen } from "./ScriptedHttp.ts"

/** The servers of one test. */
export interface ScriptedAuth {
  readonly mcp: ProtectedMcp
  /** At least one. */
  readonly servers: ReadonlyArray<AuthServer>
  /** The first of them. */
  readonly as: AuthServer
  /** All requests to all servers. */
  readonly seen: Recorder<AuthSeen>
  /** The requests to one server, or those of them with one line such as `POST /token`. */
  readonly of: (at: string, what?: string) => ReadonlyArray<AuthSeen>
  /** The lines of all requests, those of MCP itself left out. */
  readonly lines: () => ReadonlyArray<string>
  /** What clients did wrong, in words. */
  readonly faults: ReadonlyArray<string>
  /** Tokens that are good now. */
  readonly issued: ReadonlyMap<string, Issued>
  /** Makes tokens bad, as time does; all of them without one. */
  readonly revoke: (token?: string) => void
}

/** How many servers there are, and where. */
export interface ScriptedAuthShape {
  /** The path of each issuer, such as `/tenant1`; one without a path by default. */
  readonly issuers?: ReadonlyArray<string>
  /** The characters that every secret ends with. */
  readonly secretEnding?: string
}

/** Starts the servers; they stop with the scope, whatever is still open. */
export const scriptedAuth = ({ issuers = [""], secretEnding = "" }: ScriptedAuthShape = {}): Effect.Effect<
  ScriptedAuth,
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const seen = new Recorder<AuthSeen>()
    let count = 0
    const fresh = (what: string) => `${what}-${++count}${what === "secret" ? secretEnding : ""}`
    const issued = new Map<string, Issued>()
    const world: AuthWorld = { issued, proofs: new Set(), faults: [], fresh, resource: () => resourceOf(mcp) }

    const servers: Array<AuthServer> = []
    for (const [index, path] of issuers.entries()) {
      const name = `as${index + 1}`
      const { port } = yield* scriptedHttp(recorded(name, seen, (one) => answerAuth(server, world, one)))
      const origin = `http://127.0.0.1:${port}`
      const live = { clients: new Map(), codes: new Map(), refreshes: new Map() }
      const server: AuthServer = { name, origin, issuer: `${origin}${path}`, script: {}, ...live }
      servers.push(server)
    }
    const [as] = servers
    if (as === undefined) return yield* Effect.die("there is no authorization server")

    const known = () => ({ issued, proofs: world.proofs, issuers: mcp.script.issuers ?? [as.issuer] })
    const { port, url } = yield* scriptedHttp(recorded("mcp", seen, (one) => answerMcp(mcp, known(), one)))
    const mcp: ProtectedMcp = { origin: `http://127.0.0.1:${port}`, url, script: {} }

    return {
      mcp,
      servers,
      as,
      seen,
      of: (at, what) =>
        seen.events.filter((one) => one.at === at && (what === undefined || one.line === `${at} ${what}`)),
      lines: () =>
        seen.events.filter(({ at, pathname }) => at !== "mcp" || pathname !== "/mcp").map(({ line }) => line),
      faults: world.faults,
      issued,
      revoke: (token) => void (token === undefined ? issued.clear() : issued.delete(token))
    }
  })

const recorded =
  (at: string, all: Recorder<AuthSeen>, answer: (seen: AuthSeen) => Canned | "stream"): HttpScript =>
  (http, reply) => {
    const seen = seenAt(at, http)
    all.record(seen)
    const canned = answer(seen)
    if (canned === "stream") void reply.stream().write(": open\n\n")
    else send(canned, reply)
  }

const seenAt = (at: string, http: HttpSeen): AuthSeen => {
  const { pathname, searchParams } = new URL(http.path, "http://127.0.0.1")
  const line = `${at} ${http.verb} ${pathname}`
  const form = new URLSearchParams(http.text)
  return { ...http, at, line, pathname, query: searchParams, form, time: performance.now() }
}

const send = ({ headers = {}, json, reset, status = 200, text }: Canned, reply: HttpScriptReply): void => {
  if (reset === true) return reply.destroy()
  const body = text ?? (json === undefined ? "" : JSON.stringify(json))
  const type = text === undefined && json !== undefined ? { "content-type": "application/json" } : {}
  reply.raw(body, { ...type, ...headers }, status)
}

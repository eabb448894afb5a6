/**
 * A provider of tokens that a test scripts, and servers that want them.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Recorder, type HttpScript, type HttpSeen } from "@treadle/testing"
import {
  McpClient,
  McpReason,
  type HttpSettings,
  type McpError,
  type McpSession,
  type TokenProvider,
  type TokenRequest,
  type TokenResponse,
  type Tokens,
  type Unauthorized
} from "../src/index.ts"
import { McpNodeClient } from "../src/node/index.ts"

/** What a provider does; by default it gives `Bearer 1`, `Bearer 2` and so on, and learns from every refusal. */
export interface TokenScript extends Partial<Omit<Tokens, "headers">> {
  readonly headers?: (request: TokenRequest, nth: number) => ReturnType<Tokens["headers"]>
}

/** One refusal that it heard of. */
interface Refused {
  readonly request: TokenRequest
  readonly response: TokenResponse
  readonly sent: object
}

/** A provider that records what it is asked. */
export const scriptedTokens = (script: TokenScript = {}) => {
  const asked = new Recorder<TokenRequest>()
  const refused = new Recorder<Refused>()
  const heard: Array<string> = []
  const life: Array<string> = []
  const tokens: Tokens = {
    headers: (request) =>
      Effect.suspend(() => {
        asked.record(request)
        const nth = asked.events.length
        return script.headers?.(request, nth) ?? Effect.succeed({ authorization: `Bearer ${nth}` })
      }),
    heard: (request, { status }) => void heard.push(`${request.method} ${request.url.pathname} ${status}`),
    refused: (request, response, sent) =>
      Effect.suspend(() => {
        refused.record({ request, response, sent })
        return script.refused?.(request, response, sent) ?? Effect.succeed(true)
      }),
    caller: script.caller ?? Effect.succeed("ann")
  }
  const auth: TokenProvider = {
    open: (server) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          life.push(`open ${server.href}`)
          return tokens
        }),
        () => Effect.sync(() => void life.push("close"))
      )
  }
  return { auth, asked, refused, heard, life }
}

/** The reason that a provider fails with. */
export const loginNeeded = (detail = "log in first: treadle login box"): Unauthorized =>
  new McpReason.Unauthorized({ server: "box", detail })

/** Where the challenges below say that the metadata is. */
export const metadata = "https://box.example/.well-known/oauth-protected-resource/mcp"

/** A script that refuses, with a challenge, what a guard does not let in. */
export const guarded =
  (script: HttpScript, guard: (seen: HttpSeen) => 401 | 403 | undefined): HttpScript =>
  (seen, reply) => {
    const status = guard(seen)
    if (status === undefined) return script(seen, reply)
    const error = status === 403 ? ', error="insufficient_scope", scope="seats:write"' : ""
    reply.raw("not you", { "www-authenticate": `Bearer resource_metadata="${metadata}"${error}` }, status)
  }

/** What a request is, in one word. */
export const kindOf = (seen: HttpSeen): string => seen.json?.method ?? seen.verb

/** Each way to send over HTTP. */
export const senders: ReadonlyArray<{
  readonly name: string
  readonly open: (url: string, settings: HttpSettings) => Effect.Effect<McpSession, McpError, Scope.Scope>
}> = [
  { name: "fetch", open: McpClient.http },
  { name: "node:http", open: McpNodeClient.http }
]

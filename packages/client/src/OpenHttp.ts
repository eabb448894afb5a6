/**
 * Sessions over HTTP, whatever sends: Streamable HTTP, and the two endpoints of 2024-11-05 as the last resort.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { eraOf } from "@treadle/protocol/era"
import { ownNames, type HttpSettings } from "./ClientSettings.ts"
import type { Opened } from "./engine/Links.ts"
import { openLink, type Opening } from "./engine/opening/Opening.ts"
import { addressOf, McpError, McpReason } from "./McpError.ts"
import type { McpSession } from "./McpSession.ts"
import { openSession } from "./OpenSession.ts"
import { makePatientClock } from "./PatientClock.ts"
import type { TokenRequest, Tokens } from "./TokenProvider.ts"
import type { HttpPeer, HttpTokens, SendHttp } from "./transport/HttpFetch.ts"
import { httpTransport, makeHttpPeer } from "./transport/HttpTransport.ts"
import { twoEndpointTransport } from "./transport/TwoEndpointTransport.ts"

const badUrl = (server: string, message: string): McpError =>
  new McpError({ reason: new McpReason.Transport({ message, notRun: true }), method: "server/discover", server })

/** The address to send to, or why there is none. */
const parseUrl = (url: string | URL): URL | McpError => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") {
    return badUrl(JSON.stringify(String(url)), "it is not an http: or https: URL; write one such as https://host/mcp")
  }
  return parsed.username === "" && parsed.password === ""
    ? parsed
    : badUrl(addressOf(parsed), 'its URL holds a name or a password; send them with the "headers" setting')
}

/** Why a provider of tokens cannot be asked: plain JavaScript may give anything, such as the token itself. */
const noProvider = (server: string, auth: unknown): McpError | undefined => {
  if (typeof auth === "object" && auth !== null && "open" in auth && typeof auth.open === "function") return undefined
  const detail =
    'the "auth" setting is no token provider; give one, such as OAuth.browser({ … }) of @treadle/oauth, or send a ' +
    'fixed token with the "headers" setting'
  return new McpError({ reason: new McpReason.Unauthorized({ server, detail }), method: "server/discover", server })
}

/** Opens a session over HTTP. @param send what sends; the `fetch` of the settings where it is absent */
export const openHttp = (
  url: string | URL,
  settings: HttpSettings,
  send?: SendHttp
): Effect.Effect<McpSession, McpError, Scope.Scope> =>
  Effect.suspend(() => {
    const address = parseUrl(url)
    if (address instanceof McpError) return Effect.fail(address)
    const { auth } = settings
    if (auth === undefined) return openAt(address, settings, send)
    const wrong = noProvider(addressOf(address), auth)
    if (wrong !== undefined) return Effect.fail(wrong)
    return Effect.gen(function* () {
      const tokens = yield* auth.open(address)
      const { clock, still } = makePatientClock(yield* Clock.Clock)
      const opened = openAt(address, settings, send, {
        tokens: awaited(tokens, still, Effect.runPromiseWith(yield* Effect.context<never>())),
        caller: tokens.caller
      })
      return yield* Effect.provideService(opened, Clock.Clock, clock)
    })
  })

/** What authorizes the requests of a session, and on whose behalf they are. */
interface Authorized {
  readonly tokens: HttpTokens
  readonly caller: Effect.Effect<string>
}

type RunPromise = <A, E>(effect: Effect.Effect<A, E>, options: { readonly signal: AbortSignal }) => Promise<A>

/** Tokens for code that awaits. They work by the clock of the world, while that of the session stands still. */
const awaited = (
  { headers, heard = () => {}, refused }: Tokens,
  still: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>,
  run: RunPromise
): HttpTokens => ({
  headers: (request, signal) => run(isEnd(request) ? headers(request) : still(headers(request)), { signal }),
  heard,
  refused: async (request, response, sent, signal) =>
    !isEnd(request) && (await run(still(refused(request, response, sent)), { signal }))
})

/** The end of a session waits for nobody: its time goes on, and a refusal changes nothing (CHTTP-19). */
const isEnd = ({ method }: TokenRequest): boolean => method === "DELETE"

/** Opens a session over HTTP whose requests are authorized by headers of the settings, or by tokens. */
const openAt = (
  address: URL,
  settings: HttpSettings,
  send: SendHttp | undefined,
  authorized?: Authorized
): Effect.Effect<McpSession, McpError, Scope.Scope> =>
  Effect.gen(function* () {
    const peer = yield* makeHttpPeer(address, settings, send, authorized?.tokens)
    const transport = yield* httpTransport(peer)
    const source = {
      server: peer.server,
      known: address.href,
      names: ownNames.http,
      caller: authorized === undefined ? authorizationOf(peer) : callerOf(peer, authorized.caller),
      open: (opening: Opening, lose: () => void) =>
        Effect.catchIf(openLink(transport, opening, lose), maySpeakTwoEndpoints(opening), (error) =>
          openTwoEndpoints(peer, opening, lose, error)
        )
    }
    return yield* openSession(source, settings)
  })

/** A token of the settings wins over those of a provider. */
const callerOf = (peer: HttpPeer, caller: Effect.Effect<string>): Effect.Effect<string> =>
  Effect.flatMap(authorizationOf(peer), (own) => (own === "" ? caller : Effect.succeed(own)))

/** The credentials that are sent now; what is kept for one caller is not shown to another (CACHE-07). */
const authorizationOf = (peer: HttpPeer): Effect.Effect<string> =>
  Effect.orElseSucceed(
    Effect.tryPromise(async () => new Headers(await peer.headers()).get("authorization") ?? ""),
    () => ""
  )

/** A server that refuses `initialize` as if there were no such address may be one of 2024-11-05 (ERA-10). */
const maySpeakTwoEndpoints =
  ({ terms: { revision } }: Opening) =>
  ({ method, reason }: McpError): boolean =>
    method === "initialize" &&
    (reason._tag === "Transport" || reason._tag === "Rpc") &&
    (reason.status === 400 || reason.status === 404 || reason.status === 405) &&
    (revision === undefined || eraOf(revision) === "compat")

/** @param error what is told where the server does not speak it either */
const openTwoEndpoints = (
  peer: HttpPeer,
  opening: Opening,
  lose: () => void,
  error: McpError
): Effect.Effect<Opened, McpError, Scope.Scope> =>
  Effect.flatMap(
    Effect.mapError(twoEndpointTransport(peer), (reason) =>
      reason._tag === "Unauthorized" ? new McpError({ reason, method: error.method, server: error.server }) : error
    ),
    (transport) => openLink(transport, { ...opening, terms: { ...opening.terms, greet: true } }, lose)
  )

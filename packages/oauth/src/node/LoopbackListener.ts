/**
 * The browser of a program on this machine: the page of the authorization server is opened in the browser of the system,
 * and a listener on the loopback address awaits the way back (RFC 8252 section 7.3).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { AuthReason, type LoginFailure } from "../AuthError.ts"
import type { Browser, BrowserVisit } from "../Browser.ts"
import { answerPage, type PageName } from "./LoopbackPage.ts"
import { checkFunctions, checkNames, checkRecord, checkTimes, checkValues, isText } from "../SettingValues.ts"
import { openBrowser, refusedPage } from "./OpenBrowser.ts"

/** Settings of logins over the loopback address. */
export interface LoopbackSettings {
  /**
   * The port to listen at, for authorization servers that compare it. Without one it is that of the address that the
   * client was registered with where that is free, else any free one; with one that is taken, a login fails.
   */
  readonly port?: number
  /** The path of the redirect address: `/callback` by default. */
  readonly path?: string
  /** The host of the redirect address, for authorization servers that insist on the name: `127.0.0.1` by default. */
  readonly redirectHost?: "127.0.0.1" | "localhost"
  /** How long to wait for the person, in milliseconds: 300,000 by default. */
  readonly timeout?: number
  /** Shows the page in place of the system's browser; where it throws or rejects, the login fails. */
  readonly open?: (url: URL) => void | Promise<void>
  /** Is always told the page, so that a person can open it by hand; prints it on the errors output by default. */
  readonly onOpen?: (url: URL) => void
}

const loopback = "127.0.0.1"

/** @throws TypeError where nobody could come back */
const checkSettings = (settings: LoopbackSettings): void => {
  checkRecord("what makeLoopbackBrowser is given", settings, "{ port: 8400 }")
  checkNames(settings, ["port", "path", "redirectHost", "timeout", "open", "onOpen"])
  checkTimes(settings, ["timeout"])
  checkValues(settings, { redirectHost: [loopback, "localhost"] })
  checkFunctions(settings, ["open", "onOpen"])
  const { path = "/callback", port = 0 } = settings
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError("port must be a whole number up to 65535, or 0 for a free one")
  }
  if (!isText(path)) throw new TypeError('path must be a text that is not empty, as "/callback"')
}

/** How much a listener takes of whoever calls it; times in milliseconds. */
const bounds = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000
}
const connectionLimit = 16

const printPage = (url: URL): void =>
  void process.stderr.write(`To log in, open this page if no browser shows it:\n${url.href}\n`)

const needed = (why: string): LoginFailure => new AuthReason.LoginNeeded({ why })

/** What a listener is waiting for. */
interface Awaited {
  readonly state: string
  readonly came: (parameters: URLSearchParams) => void
}

/** A server on the loopback address, with what it waits for. */
interface Listener {
  readonly server: Server
  readonly redirect: URL
  awaited: Awaited | undefined
  isOver: boolean
}

const isRepeated = (parameters: URLSearchParams): boolean => new Set(parameters.keys()).size < [...parameters].length

/** Why a request is not the way back; its parameters where it is. */
const judged = ({ headers, method, url = "" }: IncomingMessage, listener: Listener): PageName | URLSearchParams => {
  const { awaited, isOver, redirect } = listener
  if (headers.host?.toLowerCase() !== redirect.host) return "wrongHost"
  const [path, query = ""] = url.split(/\?(.*)/s)
  if (path !== redirect.pathname) return "notFound"
  if (method !== "GET") return "wrongMethod"
  const parameters = new URLSearchParams(query)
  if (awaited === undefined || isRepeated(parameters) || parameters.get("state") !== awaited.state) {
    return "notTheAnswer"
  }
  return isOver ? "over" : parameters
}

const answer = (request: IncomingMessage, response: ServerResponse, listener: Listener): void => {
  const found = judged(request, listener)
  if (typeof found === "string") return answerPage(response, found)
  const { awaited } = listener
  listener.isOver = true
  // What it waits for is told when the page is out, since the listener may close then.
  answerPage(response, found.has("error") ? "denied" : "returned", () => awaited?.came(found))
}

const redirectOf = (port: number, { path = "/callback", redirectHost = loopback }: LoopbackSettings): URL => {
  const url = new URL(`http://${redirectHost}`)
  url.port = String(port)
  url.pathname = path
  return url
}

const listenAt = (port: number, settings: LoopbackSettings): Effect.Effect<Listener, NodeJS.ErrnoException> =>
  Effect.callback((resume) => {
    const server = createServer(bounds)
    server.maxConnections = connectionLimit
    server.on("error", (error) => resume(Effect.fail(error)))
    server.listen({ host: loopback, port, exclusive: true }, () => {
      const { port } = server.address() as AddressInfo
      const listener: Listener = { server, redirect: redirectOf(port, settings), awaited: undefined, isOver: false }
      server.on("request", (request, response) => answer(request, response, listener))
      resume(Effect.succeed(listener))
    })
  })

const closed = ({ server }: Listener): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** The port of a registered address, where this browser can take that address again. */
const portOf = (preferred: string | undefined, settings: LoopbackSettings): number | undefined => {
  if (preferred === undefined || !URL.canParse(preferred)) return undefined
  const { port } = new URL(preferred)
  return port !== "" && preferred === redirectOf(Number(port), settings).href ? Number(port) : undefined
}

const listening = (
  preferred: string | undefined,
  settings: LoopbackSettings
): Effect.Effect<Listener, LoginFailure, Scope.Scope> => {
  const failed = ({ code }: NodeJS.ErrnoException) =>
    settings.port === undefined || settings.port === 0
      ? needed(`no port of ${loopback} can be listened at for the way back of a login (${code})`)
      : needed(
          `port ${settings.port} of ${loopback}, where a login is to come back to, cannot be listened at (${code}); ` +
            "end what uses it, or set another port"
        )
  const known = settings.port ?? portOf(preferred, settings)
  const opened =
    known === undefined || settings.port !== undefined
      ? listenAt(known ?? 0, settings)
      : Effect.catch(listenAt(known, settings), () => listenAt(0, settings))
  return Effect.acquireRelease(Effect.mapError(opened, failed), closed)
}

/** Shows the page; a system without a browser is no failure, since the person is told the page too. */
const shown = (url: URL, { onOpen = printPage, open }: LoopbackSettings): Effect.Effect<void, LoginFailure> =>
  Effect.andThen(
    Effect.sync(() => onOpen(url)),
    open === undefined
      ? Effect.mapError(openBrowser(url), ({ message }) => needed(message))
      : Effect.tryPromise({
          try: async () => open(url),
          catch: () => needed("the page of the authorization server could not be shown: the setting `open` failed")
        })
  )

const opening = (
  listener: Listener,
  url: URL,
  state: string,
  settings: LoopbackSettings
): ReturnType<BrowserVisit["open"]> =>
  Effect.suspend(() => {
    const refused = refusedPage(url)
    if (refused !== undefined) return Effect.fail(needed(refused.message))
    const { timeout = 300_000 } = settings
    const returned = Deferred.makeUnsafe<URLSearchParams>()
    listener.isOver = false
    listener.awaited = { state, came: (found) => void Deferred.doneUnsafe(returned, Effect.succeed(found)) }
    return Effect.raceFirst(Deferred.await(returned), Effect.andThen(shown(url, settings), Effect.never)).pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(needed(`nobody came back from the login within ${timeout / 1000} s; log in again`))
      }),
      Effect.onError(() => closed(listener))
    )
  })

/**
 * Logs in with the browser of the system.
 *
 * It listens on 127.0.0.1 as long as the scope of a visit is open, and until a login fails, runs out of time or is
 * interrupted. Only a GET of the exact path, to the right host and with the right state, each parameter once, is the way
 * back; all else is turned away, and the login goes on. The person sees a small page without scripts.
 *
 * @param settings `port`, `path` and `redirectHost` of the redirect address, `timeout`, `open`, `onOpen`
 * @throws TypeError where a setting could not work
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 *
 * @example
 * ```ts
 * import { makeLoopbackBrowser } from "@treadle/oauth/node"
 * import * as Effect from "effect/Effect"
 *
 * const browser = makeLoopbackBrowser({ path: "/done", open: async (url) => void (await fetch(url)), onOpen: () => {} })
 * const login = Effect.gen(function* () {
 *   const visit = yield* browser.visit()
 *   // An authorization server would send the person there.
 *   const back = new URL(`${visit.redirectUri}?state=s1&code=c1`)
 *   return yield* visit.open(back, "s1")
 * })
 * const parameters = await Effect.runPromise(Effect.scoped(login))
 * parameters.get("code") // => "c1"
 * ```
 */
export const makeLoopbackBrowser = (settings: LoopbackSettings = {}): Browser => {
  checkSettings(settings)
  return {
    visit: (preferred) =>
      Effect.map(listening(preferred, settings), (listener) => ({
        redirectUri: listener.redirect.href,
        open: (url, state) => opening(listener, url, state, settings)
      }))
  }
}

/**
 * Opens one link: a transport, an agreement on what is spoken, and what keeps it alive.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { ClientRequest, type KnownNotification, type LogLevel, type LogMessage } from "@treadle/protocol/schema"
import type { OnNoise, PingSettings } from "../../ClientSettings.ts"
import { McpReason, type McpError } from "../../McpError.ts"
import type { CompatSession, Transport } from "../../transport/Transport.ts"
import { tellsOf, type Agreed } from "./Agreed.ts"
import type { Answering } from "../asking/Answering.ts"
import { makeEngine, type ClientEngine, type Counters, type Inbox } from "../ClientEngine.ts"
import type { Opened } from "../Links.ts"
import type { Thing } from "../watching/Listeners.ts"
import { silence } from "../watching/Liveness.ts"
import { endSession } from "./Handshake.ts"
import { negotiate, type Terms } from "./Negotiation.ts"
import { makeReverseRequests } from "../asking/ReverseRequests.ts"
import { makeServerStream, type ServerStream } from "../watching/ServerStream.ts"
import { thingIn } from "../watching/Subscriber.ts"

/** What every link of a session is opened with. */
export interface Opening {
  readonly terms: Terms
  readonly answering: Answering
  /** Whether the server may ask at any time, so that its own stream is opened at once. */
  readonly answers: boolean
  readonly counters: Counters
  readonly onNoise: OnNoise
  readonly onLog: (message: LogMessage) => void
  readonly ping: PingSettings | false
  /** The least level of log messages, where one was set. */
  readonly logLevel: () => LogLevel | undefined
  /** The server is done with a page. */
  readonly completed: (elicitationId: string) => void
  /** A thing changed. */
  readonly changed: (thing: Thing) => void
  /** Changes may have been missed. */
  readonly missed: () => void
  /** The answer to a request that was given up before. */
  readonly late: Inbox["late"]
}

/** Whether a server said that it tells of a thing; what it did not say is ignored (A36). */
const advertises = (agreed: Agreed, thing: Thing): boolean => thing.startsWith("uri:") || tellsOf(agreed, thing)

/** What a compat link has beside its engine. */
interface CompatParts {
  readonly stream: ServerStream
  readonly abandon: () => void
}

/** The end of a compat link, the server's own stream, and the pings that keep it. */
const compatParts = (
  engine: ClientEngine,
  session: CompatSession,
  { answers, missed, ping }: Opening,
  lose: () => void
): Effect.Effect<CompatParts, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { transport } = engine
    const alive = yield* Scope.fork(yield* Effect.scope)
    const run = Effect.runForkWith(yield* Effect.context<never>())
    let abandoned = false
    if (session.id !== undefined) {
      const end = Effect.suspend(() => {
        // Whoever waits is told first, and the server of their cancellations while it knows the session.
        engine.end(new McpReason.Closed({}))
        return Effect.andThen(Scope.close(alive, Exit.void), endSession(transport, session))
      })
      yield* Effect.addFinalizer(() => (abandoned ? Effect.void : end))
    }
    const events = { reopened: missed, lost: lose }
    const stream = yield* Scope.provide(makeServerStream(engine, session, events), alive)
    const dead = () => {
      engine.end(new McpReason.Closed({ detail: "the server answers no pings; it is taken for lost" }))
      lose()
    }
    if (ping !== false) yield* Effect.forkIn(Effect.andThen(silence(engine, ping), Effect.sync(dead)), alive)
    if (answers) yield* Effect.forkIn(stream.open, alive)
    const abandon = () => {
      abandoned = true
      run(Scope.close(alive, Exit.void))
    }
    return { stream, abandon }
  })

/** The log level of the session, said again to a new link. */
const restoreLogLevel = (
  engine: ClientEngine,
  { era, version }: Agreed,
  level: LogLevel
): Effect.Effect<void, never, Scope.Scope> => {
  // Nobody waits for it: a server that does not answer it is one that works.
  if (era === "compat")
    return Effect.asVoid(
      Effect.forkScoped(engine.exchange(ClientRequest.setLogLevel(level)), { startImmediately: true })
    )
  return Effect.sync(() => engine.speak({ era, version, logLevel: level }))
}

/**
 * Opens a link over a transport.
 *
 * @param lose called when the link is found to be lost
 */
export const openLink = (
  transport: Transport,
  opening: Opening,
  lose: () => void
): Effect.Effect<Opened, McpError, Scope.Scope> =>
  Effect.gen(function* () {
    const { answering, counters, onNoise, terms } = opening
    let agreed: Agreed | undefined
    let over = false
    const reverse = yield* makeReverseRequests(() => engine, answering, onNoise)
    const inbox: Inbox = {
      notify: (notification) => hear(notification, agreed, opening, reverse.cancel),
      request: (request, during) =>
        agreed?.era === "native" ? reverse.refuse(request) : reverse.take(request, during),
      late: opening.late,
      ended: () => {
        over = true
        // A transport that ends before anything was agreed fails the opening, which may go on with another one.
        if (agreed !== undefined) lose()
      }
    }
    const engine: ClientEngine = yield* makeEngine({ transport, sender: terms.sender, inbox, counters, onNoise })
    agreed = yield* negotiate(engine, terms)
    if (over) lose()
    const { session } = agreed
    const compat = session === undefined ? undefined : yield* compatParts(engine, session, opening, lose)
    const level = opening.logLevel()
    if (level !== undefined) yield* restoreLogLevel(engine, agreed, level)
    counters.links++
    return { engine, agreed, stream: compat?.stream, abandon: compat?.abandon ?? (() => {}) }
  })

const hear = (
  notification: KnownNotification,
  agreed: Agreed | undefined,
  { changed, completed, onLog }: Opening,
  cancel: (id: string | number) => void
): void => {
  if (notification.method === "notifications/message") return onLog(notification.params)
  if (agreed === undefined || agreed.era === "native") return
  if (notification.method === "notifications/cancelled") {
    const { requestId } = notification.params
    return requestId === undefined ? undefined : cancel(requestId)
  }
  if (notification.method === "notifications/elicitation/complete") return completed(notification.params.elicitationId)
  const thing = thingIn(notification)
  if (thing !== undefined && advertises(agreed, thing)) changed(thing)
}

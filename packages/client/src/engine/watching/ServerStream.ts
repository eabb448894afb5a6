/**
 * The stream on which a compat server speaks by itself (CHTTP-07): opened when something is wanted of it, and opened
 * again whenever it is cut, with waits that grow while nothing comes.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { CompatSession, StreamEnd } from "../../transport/Transport.ts"
import type { ClientEngine } from "../ClientEngine.ts"

/** The server's own stream of one link. */
export interface ServerStream {
  /** Opens it where it is not open yet; waits until it is, or until it is clear that there is none. */
  readonly open: Effect.Effect<void>
}

/** What happens to the stream. */
export interface StreamEvents {
  /** It is open again, and what came meanwhile may be lost. */
  readonly reopened: () => void
  /** The session is gone. */
  readonly lost: () => void
}

const firstWait = 1000
const longestWait = 30_000

/** What is known of a stream that was read. */
interface Read {
  readonly end: StreamEnd
  /** Whether any message came. */
  readonly fruitful: boolean
}

/** The stream of a session; it is closed with the scope. */
export const makeServerStream = (
  engine: ClientEngine,
  session: CompatSession,
  events: StreamEvents
): Effect.Effect<ServerStream, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const ready = Deferred.makeUnsafe<void>()
    const open = engine.transport.stream
    if (open === undefined) return { open: Effect.void }

    const read = (lastEventId: string | undefined): Effect.Effect<Read> =>
      Effect.callback((resume) => {
        let fruitful = false
        const seen = <A>(take: (message: A) => void) => {
          return (message: A) => {
            fruitful = true
            take(message)
          }
        }
        const close = open(session, lastEventId, {
          opened: () => {
            if (Deferred.isDoneUnsafe(ready)) events.reopened()
            else Deferred.doneUnsafe(ready, Effect.void)
          },
          heard: () => {},
          notify: seen(engine.receive.notify),
          request: seen(engine.receive.request),
          ended: (end) => resume(Effect.succeed({ end, fruitful }))
        })
        return Effect.sync(close)
      })

    const keep = (lastEventId: string | undefined, empty: number): Effect.Effect<void> =>
      Effect.flatMap(read(lastEventId), ({ end, fruitful }) => {
        if (end.how !== "cut") {
          // Where there never was a stream, 404 may as well mean that this server has none.
          const was = Deferred.isDoneUnsafe(ready)
          Deferred.doneUnsafe(ready, Effect.void)
          if (end.how === "lost" && was && session.id !== undefined) return Effect.sync(events.lost)
          return Effect.logDebug(`${engine.server} has no stream of its own: ${end.why}`)
        }
        const misses = fruitful ? 0 : empty
        const wait = Math.max(end.retry ?? 0, Math.min(firstWait * 2 ** misses, longestWait))
        return Effect.andThen(Effect.sleep(wait), keep(end.lastEventId, misses + 1))
      })

    const started = yield* Effect.cached(Effect.forkIn(keep(undefined, 0), scope, { startImmediately: true }))
    return { open: Effect.andThen(started, Deferred.await(ready)) }
  })

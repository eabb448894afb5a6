/**
 * Makes one link tell of changes: natively by a listen request whose filter is replaced as a whole (SUB-01 to SUB-11), in
 * the compat era by the server's own stream and a subscription for each address (CSUB-01).
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import { own } from "@treadle/protocol/json"
import type { Notification } from "@treadle/protocol/rpc"
import { ClientRequest, KnownNotification, type SubscriptionFilter } from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../../McpError.ts"
import type { Link } from "../Links.ts"
import type { Thing } from "./Listeners.ts"
import { hearing } from "./Liveness.ts"

/** The changes of one link. */
export interface Subscriber {
  /** From now on the link tells of these things, and of no others. */
  readonly set: (things: ReadonlyArray<Thing>) => Effect.Effect<void, McpError>
  /** Waits until the link no longer tells. */
  readonly ended: Effect.Effect<void>
}

/** The thing that a notification says has changed. */
export const thingIn = (notification: KnownNotification): Thing | undefined => {
  switch (notification.method) {
    case "notifications/tools/list_changed":
      return "tools"
    case "notifications/prompts/list_changed":
      return "prompts"
    case "notifications/resources/list_changed":
      return "resources"
    case "notifications/resources/updated":
      return `uri:${notification.params.uri}`
    default:
      return undefined
  }
}

const urisOf = (things: ReadonlyArray<Thing>): ReadonlyArray<string> =>
  things.filter((thing) => thing.startsWith("uri:")).map((thing) => thing.slice(4))

const filterOf = (things: ReadonlyArray<Thing>): SubscriptionFilter => {
  const uris = urisOf(things)
  return {
    ...(things.includes("tools") ? { toolsListChanged: true } : {}),
    ...(things.includes("prompts") ? { promptsListChanged: true } : {}),
    ...(things.includes("resources") ? { resourcesListChanged: true } : {}),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris })
  }
}

/** What was asked for and is not honoured (SUB-05). */
const leftOut = (things: ReadonlyArray<Thing>, honoured: unknown): ReadonlyArray<Thing> => {
  const uris = own(honoured, "resourceSubscriptions")
  return things.filter((thing) =>
    thing.startsWith("uri:")
      ? !Array.isArray(uris) || !uris.includes(thing.slice(4))
      : own(honoured, `${thing}ListChanged`) !== true
  )
}

/**
 * @param longest how long the subscription may be silent, in milliseconds
 * @param tell called for each change
 */
export const nativeSubscriber = (
  { engine }: Link,
  longest: number,
  tell: (thing: Thing) => void
): Effect.Effect<Subscriber, never, Scope.Scope> =>
  Effect.gen(function* () {
    const outer = yield* Effect.scope
    const ended = Deferred.makeUnsafe<void>()
    /** The scope of the listen request that is open. */
    let current: Scope.Closeable | undefined

    const listen = (things: ReadonlyArray<Thing>): Effect.Effect<void, McpError> =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(outer)
        const request = ClientRequest.listen(filterOf(things))
        const acknowledged = Deferred.makeUnsafe<void, McpError>()
        const ears = yield* hearing(longest)
        const hear = (notification: Notification) => {
          const known = KnownNotification.decode(notification)
          if (known === undefined || Result.isFailure(known)) return
          if (known.success.method === "notifications/subscriptions/acknowledged") {
            warnOf(leftOut(things, known.success.params.notifications))
            return void Deferred.doneUnsafe(acknowledged, Effect.void)
          }
          const thing = thingIn(known.success)
          if (thing !== undefined) tell(thing)
        }
        const stream = engine.exchange(request, { onNotification: hear, onHeard: ears.heard })
        const watched =
          engine.transport.kind === "http" ? Effect.raceFirst(Effect.asVoid(stream), ears.silence) : stream
        const over = (exit: Exit.Exit<unknown, McpError>) =>
          Effect.sync(() => {
            const gone = engine.error(request, new McpReason.Closed({ detail: "the server ended the subscription" }))
            Deferred.doneUnsafe(acknowledged, Exit.isFailure(exit) ? Effect.failCause(exit.cause) : Effect.fail(gone))
            if (current === scope) Deferred.doneUnsafe(ended, Effect.void)
          })
        yield* Effect.forkIn(Effect.onExit(watched, over), scope, { startImmediately: true })
        yield* Effect.onError(Deferred.await(acknowledged), () => Scope.close(scope, Exit.void))
        const before = current
        current = scope
        if (before !== undefined) yield* Scope.close(before, Exit.void)
      })

    const stop = Effect.suspend(() => {
      const before = current
      current = undefined
      return before === undefined ? Effect.void : Scope.close(before, Exit.void)
    })

    const run = Effect.runForkWith(yield* Effect.context<never>())
    const warnOf = (things: ReadonlyArray<Thing>): void => {
      if (things.length === 0) return
      run(Effect.logWarning(`${engine.server} does not tell of changes of ${things.join(", ")}`))
    }
    return { set: (things) => (things.length === 0 ? stop : listen(things)), ended: Deferred.await(ended) }
  })

/** Changes come to the engine's inbox by themselves; here the server is asked for them. */
export const compatSubscriber = ({ engine, lost, stream }: Link): Effect.Effect<Subscriber> =>
  Effect.sync(() => {
    const subscribed = new Set<string>()
    const set = (things: ReadonlyArray<Thing>): Effect.Effect<void, McpError> =>
      Effect.gen(function* () {
        if (things.length > 0 && stream !== undefined) yield* stream.open
        const wanted = new Set(urisOf(things))
        for (const uri of wanted) {
          if (subscribed.has(uri)) continue
          yield* engine.exchange(ClientRequest.subscribe(uri))
          subscribed.add(uri)
        }
        for (const uri of subscribed) {
          if (wanted.has(uri)) continue
          subscribed.delete(uri)
          yield* Effect.ignore(engine.exchange(ClientRequest.unsubscribe(uri)))
        }
      })
    return { set, ended: lost }
  })

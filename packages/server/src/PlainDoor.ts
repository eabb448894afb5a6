/**
 * What a door for plain code keeps: the definition checked at once, the served thing built on first use, and one way to
 * close it all.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as References from "effect/References"
import { RpcError } from "@treadle/protocol/rpc"
import type { Refusal } from "./envelope/Refusal.ts"
import { Counters } from "./Counters.ts"
import { Limits } from "./Limits.ts"
import type { LiveHandle, LiveService } from "./Live.ts"
import { Mcp } from "./Mcp.ts"
import { McpBuildErrors } from "./McpBuildError.ts"
import type { Served, ServedParts } from "./Served.ts"
import { settingErrors } from "./transport/SettingChecks.ts"

/** A server that needs nothing more; any other does not compile, and the error says so. */
export type Complete<R> = [R] extends [never]
  ? unknown
  : "this server still needs services: give them with mcp.provide(layer), or use an Effect door"

/** What a client is told while the server could not be built. Why it could not is in the log. */
export const notServing: Refusal = { rung: "stopping", error: RpcError.internal("The server is not serving") }

export interface PlainDoor<out Ctx> {
  /** The served thing, once it is built. */
  readonly current: () => Served | undefined
  /** Builds it, where that has not happened yet. What goes wrong then is logged, and the promise rejects. */
  readonly open: () => Promise<Served<never, Ctx>>
  /** What is under way; nothing before the first request. */
  readonly counters: () => Counters
  /** Changes what is served; builds the served thing for that, where that has not happened yet. */
  readonly live: LiveHandle<Ctx>
  /** Stops serving: refuses new calls, waits for running ones, ends what outlasts the grace. */
  readonly close: () => Promise<void>
}

/** The handle in promises. Changes begin in the order in which they were asked for. */
export const liveHandle = <Ctx>(
  open: () => Promise<Served<never, Ctx>>,
  current: () => Served | undefined
): LiveHandle<Ctx> => {
  const change = <A>(run: (live: LiveService<never, Ctx>) => Effect.Effect<A, McpBuildErrors>): Promise<A> =>
    open().then(({ live }) => Effect.runPromise(run(live)))
  return {
    add: (part) => change((live) => live.add(part)),
    replace: (part) => change((live) => live.replace(part)),
    remove: (what) => change((live) => live.remove(what)),
    // Nobody listens before the first request.
    changed: (one) => {
      const served = current()
      if (served !== undefined) Effect.runSync(served.live.changed(one))
    }
  }
}

/**
 * Prepares a door.
 *
 * @throws McpBuildErrors with every reason, when the definition cannot be served or a setting could not work; TypeError,
 * when there is no definition
 */
export const plainDoor = <Ctx>(mcp: Mcp<never, Ctx>, settings: ServedParts): PlainDoor<Ctx> => {
  if (mcp?.definition === undefined) throw new TypeError("A door serves what Mcp.make({ … }) gives; it was given none")
  const errors = [...Mcp.check(mcp), ...settingErrors(settings)]
  if (errors.length > 0) throw new McpBuildErrors({ server: mcp.definition.info.implementation.name, errors })
  const scope = Scope.makeUnsafe()
  const { grace } = Limits.of(settings.limits)
  let served: Served<never, Ctx> | undefined
  let opening: Fiber.Fiber<Served<never, Ctx>, McpBuildErrors> | undefined

  const start = Mcp.served(mcp, settings).pipe(
    Effect.tap((ready) => Effect.sync(() => (served = ready))),
    Effect.tapCause((cause) => Effect.logError("The server cannot start; its requests are answered 503.", cause)),
    Effect.provideService(Scope.Scope, scope),
    Effect.provideService(References.LogToStderr, true)
  )
  const open = (): Promise<Served<never, Ctx>> => {
    if (opening !== undefined) return Effect.runPromise(Fiber.join(opening))
    const fiber = Effect.runFork(start)
    opening = fiber
    fiber.addObserver((exit) => {
      // The next request tries again.
      if (Exit.isFailure(exit)) opening = undefined
    })
    return Effect.runPromise(Fiber.join(fiber))
  }

  return {
    current: () => served,
    open,
    counters: () => served?.counters() ?? Counters.none,
    live: liveHandle(open, () => served),
    close: async () => {
      // Nothing that an author's code holds may keep a door from closing.
      const bounded = (effect: Effect.Effect<unknown>) => Effect.timeoutOption(effect, grace * 3)
      if (served === undefined && opening !== undefined) await Effect.runPromise(bounded(Fiber.interrupt(opening)))
      await Effect.runPromise(bounded(Scope.close(scope, Exit.void)))
    }
  }
}

/**
 * What a door for plain code keeps: the definition checked at once, the served thing built on first use, and one way to
 * close it all.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as References from "effect/References"
import { Mcp } from "./Mcp.ts"
import { McpBuildErrors } from "./McpBuildError.ts"
import type { Served, ServedSettings } from "./Served.ts"

/** A server that needs nothing more; any other does not compile, and the error says so. */
export type Complete<R> = [R] extends [never]
  ? unknown
  : "this server still needs services: give them with mcp.provide(layer), or use an Effect door"

export interface PlainDoor {
  /** The served thing, once it is built. */
  readonly current: () => Served | undefined
  /** Builds it, where that has not happened yet. */
  readonly open: () => Promise<Served>
  /** Stops serving: refuses new calls, waits for running ones, ends what outlasts the grace. */
  readonly close: () => Promise<void>
}

/**
 * Prepares a door.
 *
 * @throws McpBuildErrors with every reason, when the definition cannot be served
 */
export const plainDoor = <Ctx>(mcp: Mcp<never, Ctx>, settings: ServedSettings): PlainDoor => {
  const errors = Mcp.check(mcp)
  if (errors.length > 0) throw new McpBuildErrors({ server: mcp.definition.info.implementation.name, errors })
  const scope = Scope.makeUnsafe()
  let served: Served | undefined
  let opening: Promise<Served> | undefined

  const open = (): Promise<Served> =>
    (opening ??= Effect.runPromise(
      Mcp.served(mcp, settings).pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.provideService(References.LogToStderr, true)
      )
    ).then((ready) => (served = ready)))

  return {
    current: () => served,
    open,
    close: async () => {
      if (opening !== undefined) await opening.catch(() => undefined)
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

/**
 * The door of memory: serves one end of a line pipe, as standard input and output would be, without a process.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LinePort } from "@treadle/protocol/framing"
import { Mcp } from "./Mcp.ts"
import type { McpBuildErrors } from "./McpBuildError.ts"
import type { Served, ServedSettings } from "./Served.ts"
import { startLineLoop } from "./transport/LineLoop.ts"

/**
 * Serves a port until its peer closes it or the Scope closes; calls of a peer that is gone are interrupted.
 *
 * @param port one end of `linePair()`, or any other pipe
 * @param context what handlers get
 */
const serve = <R, Ctx>(
  mcp: Mcp<R, Ctx>,
  port: LinePort,
  context: Ctx,
  settings?: ServedSettings
): Effect.Effect<Served<R, Ctx>, McpBuildErrors, R | Scope.Scope> =>
  Effect.gen(function* () {
    let flush = () => {}
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        flush()
        port.close()
      })
    )
    const served = yield* Mcp.served(mcp, settings)
    const caller = served.identify(context)
    const loop = startLineLoop(served, port, { context, caller, schedule: queueMicrotask })
    flush = loop.flush
    yield* Effect.forkScoped(
      Effect.andThen(
        loop.ended,
        Effect.sync(() => served.hangUp(loop.owner))
      )
    )
    return served
  })

/** Serves in memory, for tests and for clients of the same process that speak in lines. */
export const McpMemory = { serve }

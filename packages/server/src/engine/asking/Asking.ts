/**
 * What the calls of one served thing ask with: the questions that are open, how long they wait, and the clock.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Asking } from "./CallAsks.ts"
import type { Deprecations } from "../Deprecated.ts"
import { OpenAsks } from "./OpenAsks.ts"

/**
 * @param timeout milliseconds for which a question waits
 * @param deprecated hears of what is deprecated
 * @param logs whether log messages are sent
 */
export const makeAsking = (
  timeout: number,
  now: () => number,
  deprecated: Deprecations,
  logs: boolean,
  services: Context.Context<never>
): Asking => {
  const run = Effect.runForkWith(services)
  return {
    open: new OpenAsks(),
    timeout,
    now,
    later: (look) => void run(Effect.andThen(Effect.andThen(Effect.yieldNow, Effect.yieldNow), Effect.sync(look))),
    deprecated,
    logs
  }
}

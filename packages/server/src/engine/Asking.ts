/**
 * What the calls of one served thing ask with: the questions that are open, how long they wait, and the clock.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Asking } from "./CallAsks.ts"
import { OpenAsks } from "./OpenAsks.ts"

/**
 * @param timeout milliseconds for which a question waits
 * @param warn logs what is deprecated, once each
 */
export const makeAsking = (
  timeout: number,
  now: () => number,
  warn: (text: string) => void,
  services: Context.Context<never>
): Asking => {
  const run = Effect.runForkWith(services)
  const warned = new Set<string>()
  return {
    open: new OpenAsks(),
    timeout,
    now,
    later: (look) => void run(Effect.andThen(Effect.andThen(Effect.yieldNow, Effect.yieldNow), Effect.sync(look))),
    deprecated: (what) => {
      if (warned.has(what)) return
      warned.add(what)
      warn(`A handler asks for ${what}, which SEP-2577 deprecates with 2026-07-28; earliest removal 2027-07-28.`)
    }
  }
}

/**
 * Whether the other side is still there: an idle compat session is pinged (INIT-11), and a stream on which nothing was
 * heard for too long counts as lost.
 *
 * An event loop that is late is no silence: what has arrived meanwhile is read before anything is counted.
 */
import * as Effect from "effect/Effect"
import { ClientRequest } from "@treadle/protocol/schema"
import { defaults, type PingSettings } from "../../ClientSettings.ts"
import { hasStatus404 } from "../../McpError.ts"
import type { ClientEngine } from "../ClientEngine.ts"

/** Lets the event loop read what has arrived: timers are served before sockets, so one more turn is enough. */
const oneTurn: Effect.Effect<void> = Effect.callback((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 0)
  return Effect.sync(() => clearTimeout(timer))
})

const now = Effect.clockWith((clock) => clock.currentTimeMillis)

/** Ends when the server has missed too many pings. */
export const silence = (engine: ClientEngine, settings: PingSettings): Effect.Effect<void> => {
  const { interval, misses, timeout } = { ...defaults.ping, ...settings }

  /** How one ping ends; one that does not get through is waited for like one that is not answered. */
  const ping: Effect.Effect<"heard" | "missed" | "gone"> = Effect.suspend(() => {
    const before = engine.timesHeard()
    const asked = Effect.matchEffect(engine.exchange(ClientRequest.ping()), {
      onSuccess: () => Effect.succeed("heard" as const),
      onFailure: ({ reason }) => {
        if (reason._tag === "Rpc" && reason.status !== 404) return Effect.succeed("heard" as const)
        return hasStatus404(reason) ? Effect.succeed("gone" as const) : Effect.never
      }
    })
    const over = Effect.andThen(Effect.andThen(Effect.sleep(timeout), oneTurn), Effect.succeed("missed" as const))
    return Effect.map(Effect.raceFirst(asked, over), (how) =>
      how === "missed" && engine.timesHeard() > before ? "heard" : how
    )
  })

  const watch = (missed: number): Effect.Effect<void> =>
    missed >= misses
      ? Effect.void
      : Effect.flatMap(ping, (how) => {
          if (how === "gone") return Effect.void
          return how === "heard" ? idle : watch(missed + 1)
        })

  const idle: Effect.Effect<void> = Effect.flatMap(now, (at) => {
    const left = engine.lastHeard() + interval - at
    return left > 0 ? Effect.andThen(Effect.sleep(left), idle) : watch(0)
  })
  return idle
}

/** Hears whether anything comes. */
export interface Ears {
  readonly heard: () => void
  /** Ends when nothing was heard for too long. */
  readonly silence: Effect.Effect<void>
}

/** @param longest how long nothing may be heard, in milliseconds; `Infinity` for no limit */
export const hearing = (longest: number): Effect.Effect<Ears> =>
  Effect.clockWith((clock) =>
    Effect.sync(() => {
      let last = clock.currentTimeMillisUnsafe()
      let times = 0
      const silence: Effect.Effect<void> = Effect.suspend(() => {
        if (!Number.isFinite(longest)) return Effect.never
        const left = last + longest - clock.currentTimeMillisUnsafe()
        if (left > 0) return Effect.andThen(Effect.sleep(left), silence)
        const before = times
        return Effect.flatMap(oneTurn, () => (times > before ? silence : Effect.void))
      })
      const heard = () => {
        times++
        last = clock.currentTimeMillisUnsafe()
      }
      return { heard, silence }
    })
  )

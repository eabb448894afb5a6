/**
 * What the calls of one served thing share to ask their clients with, and to send them log messages.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Deprecations } from "../Deprecated.ts"
import { OpenAsks } from "./OpenAsks.ts"

export interface Asking {
  readonly open: OpenAsks
  /** Milliseconds that a client may take to answer. */
  readonly timeout: number
  readonly now: () => number
  /** Runs a function once everything that is ready to run has run. */
  readonly later: (run: () => void) => void
  /** Hears of what is deprecated. */
  readonly deprecated: Deprecations
  /** Whether the server sends log messages. */
  readonly logs: boolean
}

/** @param services whose scheduler rules what `later` means */
export const makeAsking = (
  parts: Pick<Asking, "timeout" | "now" | "deprecated" | "logs">,
  services: Context.Context<never>
): Asking => {
  const run = Effect.runForkWith(services)
  return {
    ...parts,
    open: new OpenAsks(),
    later: (look) => void run(Effect.andThen(Effect.andThen(Effect.yieldNow, Effect.yieldNow), Effect.sync(look)))
  }
}

/**
 * Which servers turned out to speak only the compat era, so that the next session with one does not probe again
 * (ERA-11). A verdict is forgotten after a day, because servers are updated.
 */
import * as Context from "effect/Context"
import { keepNewest } from "./Bounded.ts"

/** How long a verdict is remembered, in milliseconds. */
const lifetime = 24 * 60 * 60 * 1000

/** How many servers are remembered; the oldest verdict goes first. */
const capacity = 1024

/** The verdicts, by the address or the command of a server. */
export interface EraMemory {
  /** Whether the server was found to speak only compat revisions. @param now milliseconds */
  readonly isCompat: (server: string, now: number) => boolean
  readonly remember: (server: string, now: number) => void
  readonly forget: (server: string) => void
}

/** A memory of its own, empty. */
export const makeEraMemory = (): EraMemory => {
  const verdicts = new Map<string, number>()
  return {
    isCompat: (server, now) => {
      const since = verdicts.get(server)
      return since !== undefined && now - since < lifetime
    },
    remember: (server, now) => {
      verdicts.delete(server)
      verdicts.set(server, now)
      keepNewest(verdicts, capacity)
    },
    forget: (server) => void verdicts.delete(server)
  }
}

/** The memory that sessions use: one for the process, unless another one is provided. */
export const EraMemory = Context.Reference<EraMemory>("@treadle/client/EraMemory", { defaultValue: makeEraMemory })

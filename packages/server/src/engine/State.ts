/**
 * The live state of a served thing: what it offers, what runs, who listens, its sessions and tasks, and the time that rules
 * them. It holds no rule of its own; what serves requests is made over it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Counters } from "../Counters.ts"
import { makeDress } from "../envelope/Dress.ts"
import type { Entries } from "../handler/Entry.ts"
import type { Limits } from "../Limits.ts"
import { Live, type LiveService, type Part } from "../Live.ts"
import type { McpBuildError } from "../McpBuildError.ts"
import type { ServerInfo } from "../ServerInfo.ts"
import { makeAsking } from "./asking/Asking.ts"
import { makeDeprecations } from "./Deprecated.ts"
import { InFlight } from "./InFlight.ts"
import { announces, capabilitiesOf } from "./offer/Capabilities.ts"
import { Hub } from "./offer/Hub.ts"
import { LiveChanges } from "./offer/LiveChanges.ts"
import { makeOffer } from "./offer/Offer.ts"
import type { Ending } from "./RunningCall.ts"
import { CompatSessions, type SessionMode } from "./sessions/CompatSessions.ts"
import { makeSweep } from "./Sweep.ts"
import { Tally } from "./Tally.ts"
import { Tasks } from "./tasks/Tasks.ts"

export interface StateParts {
  readonly info: ServerInfo
  /** What there is at the start. It is not offered yet. */
  readonly entries: Entries
  readonly limits: Limits
  readonly sessions: SessionMode
  readonly isStopping: () => boolean
  /** What else keeps entries from being served, where they have no build errors. */
  readonly check: (entries: Entries) => ReadonlyArray<McpBuildError>
  /** Hears of every change of what is served, once it has happened. */
  readonly changed: (before: Entries, after: Entries) => void
  /** What handlers run with, but for the handle of what is served, and what layers and doors add. */
  readonly services: Context.Context<never>
  /** What layers live in at the longest. */
  readonly scope: Scope.Scope
}

/** What an `Mcp` was made of. Types make sure that a part is one. */
const entriesOf = (part: Part<unknown, never>): Entries => part.definition.entries as Entries

/** The handle, over changes that begin once the server has started. */
const liveService = (changes: () => LiveChanges, hub: Hub): LiveService<unknown, never> => ({
  add: (part) => Effect.suspend(() => changes().add(entriesOf(part))),
  replace: (part) => Effect.suspend(() => changes().replace(entriesOf(part))),
  remove: (what) => Effect.suspend(() => changes().remove(what)),
  changed: (change) => Effect.sync(() => hub.publish(change))
})

export const makeState = ({ changed, check, entries, info, isStopping, limits, scope, ...parts }: StateParts) => {
  const capabilities = capabilitiesOf(entries, info, limits.tasks > 0)
  const hub = new Hub(parts.services, (change) => announces(capabilities, change))
  const live = liveService(() => changes, hub)
  const services = Context.add(parts.services, Live, live)
  const inFlight = new InFlight()
  const offer = makeOffer(services, scope)
  const changes = new LiveChanges({ info, capabilities, offer, hub, isStopping, check, changed })
  const dress = makeDress(info.implementation)
  const tasks: Tasks = new Tasks({
    limits,
    dress,
    hub,
    inFlight,
    now: () => sweep.now(),
    wake: () => sweep.wake()
  })
  const sweep = makeSweep([inFlight, tasks], Context.get(services, Clock.Clock), services)
  const hangUp = (owner: string, ending: Ending): void => {
    for (const call of inFlight.of(owner)) call.end(ending)
  }
  const sessions = new CompatSessions({
    limits,
    mode: parts.sessions,
    now: sweep.now,
    running: inFlight.has,
    hangUp: (owner) => hangUp(owner, "session-ended"),
    hub
  })
  const warn = (text: string): void => void Effect.runForkWith(services)(Effect.logWarning(text))
  const deprecated = makeDeprecations(warn)
  const asking = makeAsking({ timeout: limits.askTimeout, now: sweep.now, deprecated, logs: info.logging }, services)
  const tally = new Tally()
  return {
    asking,
    capabilities,
    changes,
    dress,
    hub,
    inFlight,
    live,
    offer,
    services,
    sessions,
    sweep,
    tally,
    tasks,
    /** Logs a warning of the server itself. */
    warn,
    /** What is under way now. */
    counters: (): Counters => ({
      ...inFlight.counts,
      sessions: sessions.size,
      tasks: tasks.size,
      asks: asking.open.size,
      queued: hub.waiting + sessions.waiting + tally.held,
      dropped: tally.dropped
    }),
    /** The pipe of an owner has gone: its calls end, and nobody can ask about its tasks any more. */
    hangUp: (owner: string): void => {
      sessions.forget(owner)
      hangUp(owner, "stopping")
      tasks.forget(owner)
    },
    /** Forgets everything that outlives a call. */
    clear: (): void => {
      sessions.clear()
      tasks.clear()
      hub.clear()
    }
  }
}

export type State = ReturnType<typeof makeState>

/**
 * Changes of what is served, one after another: each is checked whole, then happens whole, and those who listen are told.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { ServerCapabilities } from "@treadle/protocol/schema"
import { Change } from "../../Change.ts"
import { buildErrors } from "../../handler/BuildChecks.ts"
import { joined, noEntries, type Entries } from "../../handler/Entry.ts"
import { renewed, replaced, without } from "../../handler/EntryChange.ts"
import { liveErrors } from "../../handler/LiveChecks.ts"
import type { Removal, Removed } from "../../Live.ts"
import { McpBuildErrors, type McpBuildError } from "../../McpBuildError.ts"
import type { ServerInfo } from "../../ServerInfo.ts"
import type { Hub } from "./Hub.ts"
import type { ChangingOffer } from "./Offer.ts"

export interface LiveParts {
  readonly info: ServerInfo
  readonly capabilities: ServerCapabilities
  readonly offer: ChangingOffer
  readonly hub: Hub
  readonly isStopping: () => boolean
  /** What else keeps entries from being served, where they have no build errors. */
  readonly check: (entries: Entries) => ReadonlyArray<McpBuildError>
  /** Hears of every change once it has happened. */
  readonly changed: (before: Entries, after: Entries) => void
}

/** What those who listen are told once these entries came, went or were replaced. */
const changesOf = ({ prompts, resources, templates }: Entries, toolsChanged: boolean): ReadonlyArray<Change> => [
  ...(toolsChanged ? [Change.tools] : []),
  ...(prompts.length === 0 ? [] : [Change.prompts]),
  ...(resources.length + templates.length === 0 ? [] : [Change.resources]),
  // Whoever watches a URI reads another thing there from now on, or nothing.
  ...resources.map(({ definition }) => Change.resource(definition.uri))
]

export class LiveChanges {
  readonly #parts: LiveParts
  readonly #inTurn = Semaphore.makeUnsafe(1)
  #entries: Entries = noEntries
  /** The fiber that has the turn. */
  #holder: unknown

  constructor(parts: LiveParts) {
    this.#parts = parts
  }

  /** Offers the entries that there are at the start; they have no build errors. */
  start(entries: Entries): Effect.Effect<void> {
    return this.#turn(
      Effect.map(this.#parts.offer.put(entries), () => {
        this.#entries = entries
      })
    )
  }

  /** What is offered. */
  get entries(): Entries {
    return this.#entries
  }

  /** Adds entries after those that there are. */
  add(part: Entries): Effect.Effect<void, McpBuildErrors> {
    return this.#change(part, (added) => joined(this.#entries, added))
  }

  /** Puts entries in the place of those with the same keys, and adds the rest. */
  replace(part: Entries): Effect.Effect<void, McpBuildErrors> {
    return this.#change(part, (added) => replaced(this.#entries, added))
  }

  /** Takes entries away. @returns what was there */
  remove(what: Removal): Effect.Effect<Removed, McpBuildErrors> {
    return this.#next(() => {
      const { capabilities, info } = this.#parts
      const { entries, gone, removed } = without(this.#entries, what)
      return Effect.as(this.#put(entries, gone, liveErrors(gone, capabilities, info)), removed)
    })
  }

  #change(part: Entries, merge: (added: Entries) => Entries): Effect.Effect<void, McpBuildErrors> {
    return this.#next(() => {
      const { capabilities, check, info } = this.#parts
      const added = renewed(part)
      const next = merge(added)
      const errors = [...liveErrors(part, capabilities, info), ...buildErrors(next, info, added)]
      return this.#put(next, added, errors.length === 0 ? check(next) : errors)
    })
  }

  #put(next: Entries, touched: Entries, errors: ReadonlyArray<McpBuildError>): Effect.Effect<void, McpBuildErrors> {
    const { changed, hub, info, offer } = this.#parts
    if (errors.length > 0) {
      return Effect.fail(new McpBuildErrors({ server: info.implementation.name, errors, undone: "changed" }))
    }
    return Effect.map(offer.put(next), (toolsChanged) => {
      const before = this.#entries
      this.#entries = next
      changed(before, next)
      for (const change of changesOf(touched, toolsChanged)) hub.publish(change)
    })
  }

  /** A part may take its time to be built, and what was asked for after it waits. */
  #next<A>(change: () => Effect.Effect<A, McpBuildErrors>): Effect.Effect<A, McpBuildErrors> {
    const { info, isStopping } = this.#parts
    return this.#turn(
      Effect.suspend(() =>
        isStopping()
          ? Effect.die(
              new Error(`${info.implementation.name} was stopped, so what it serves cannot be changed any more`)
            )
          : change()
      )
    )
  }

  /** One after another. Whoever has the turn would wait for itself. */
  #turn<A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.withFiber((fiber) => {
      if (this.#holder === fiber) {
        return Effect.die(
          new Error(
            "A layer cannot change what is served while it is built; fork the change, and it waits for its turn"
          )
        )
      }
      return this.#inTurn.withPermit(
        Effect.ensuring(
          Effect.suspend(() => {
            this.#holder = fiber
            return effect
          }),
          Effect.sync(() => {
            this.#holder = undefined
          })
        )
      )
    })
  }
}

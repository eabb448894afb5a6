/**
 * Who hears of changes. A change goes in, and once the window is over each listener that wants it is told once, however
 * often it happened in between.
 */
import * as Effect from "effect/Effect"
import type * as Context from "effect/Context"
import { printNotification } from "@treadle/protocol/rpc"
import type { Meta } from "@treadle/protocol/schema"
import type { Change } from "../../Change.ts"
import { uriKey } from "../../handler/ResourceUri.ts"

/** A task has changed. It is told as it stands when it is told. */
export interface TaskChange {
  readonly _tag: "task"
  readonly id: string
  /** The printed notification. */
  readonly print: (meta: Meta) => string
}

/** What is told. */
export type Told = Change | TaskChange

export interface Listener {
  readonly hears: (change: Told) => boolean
  readonly tell: (change: Told) => void
}

/** Milliseconds in which equal changes become one. */
const changeWindow = 50

/** The same change has the same key. */
export const changeKey = (change: Told): string => {
  if (change._tag === "task") return `task ${change.id}`
  return change._tag === "resource" ? `resource ${uriKey(change.uri)}` : change._tag
}

/** A resource is named to a client as the client named it. */
export const asNamed = (change: Told, uris: ReadonlyMap<string, string>): Told =>
  change._tag === "resource" ? { ...change, uri: uris.get(uriKey(change.uri)) ?? change.uri } : change

/** The printed notification of a change (BASE-23, SUB-06). */
export const printChange = (change: Told, meta?: Meta): string => {
  if (change._tag === "task") return change.print(meta ?? {})
  const said = meta === undefined ? {} : { _meta: meta }
  return change._tag === "resource"
    ? printNotification("notifications/resources/updated", { uri: change.uri, ...said })
    : printNotification(`notifications/${change._tag}/list_changed`, said)
}

export class Hub {
  readonly #listeners = new Set<Listener>()
  readonly #pending = new Map<string, Told>()
  readonly #announced: (change: Told) => boolean
  readonly #flush: () => void

  /**
   * @param services whose clock the window is measured by
   * @param announced whether clients were told that they may hear of a change; of any other nobody does
   */
  constructor(services: Context.Context<never>, announced: (change: Told) => boolean) {
    this.#announced = announced
    const run = Effect.runForkWith(services)
    const flush = Effect.andThen(
      Effect.sleep(changeWindow),
      Effect.sync(() => this.#tell())
    )
    this.#flush = () => void run(flush)
  }

  get size(): number {
    return this.#listeners.size
  }

  /** How many changes are gathered and not told yet. */
  get waiting(): number {
    return this.#pending.size
  }

  /** Nobody is told what was gathered. */
  clear(): void {
    this.#pending.clear()
  }

  /** @returns stops listening */
  add(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  publish(change: Told): void {
    if (this.#listeners.size === 0 || !this.#announced(change)) return
    const key = changeKey(change)
    // What was said to be the last of a resource stays so.
    if (change._tag === "resource" && this.#isLast(key)) return
    this.#pending.set(key, change)
    if (this.#pending.size === 1) this.#flush()
  }

  #isLast(key: string): boolean {
    const pending = this.#pending.get(key)
    return pending?._tag === "resource" && pending.last === true
  }

  #tell(): void {
    const changes = [...this.#pending.values()]
    this.#pending.clear()
    for (const change of changes) {
      for (const listener of this.#listeners) if (listener.hears(change)) listener.tell(change)
    }
  }
}

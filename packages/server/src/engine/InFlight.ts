/**
 * The calls that outlived their first tick, by the owner they are counted for. Two owners never meet, so two clients
 * that both use id 1 cannot cancel each other.
 */
import * as Effect from "effect/Effect"
import type { RequestId } from "@treadle/protocol/rpc"
import type { Ending, RunningCall } from "./RunningCall.ts"

/** What one owner has running. */
type Owned = { readonly [K in RunningCall["kind"]]: Set<RunningCall> }

const inOrder = ({ call, listen }: Owned): ReadonlyArray<RunningCall> => [...call, ...listen]

export class InFlight {
  readonly #owners = new Map<string, Owned>()
  readonly #waiting = new Set<() => void>()
  #size = 0
  #listeners = 0
  #streams = 0

  get size(): number {
    return this.#size
  }

  /** How many calls, or listeners, an owner has running. */
  count(owner: string, kind: RunningCall["kind"] = "call"): number {
    return this.#owners.get(owner)?.[kind].size ?? 0
  }

  /** How many calls run, how many listen requests are open, and how many other streams. */
  get counts(): { readonly calls: number; readonly listeners: number; readonly streams: number } {
    return { calls: this.#size - this.#listeners - this.#streams, listeners: this.#listeners, streams: this.#streams }
  }

  add(call: RunningCall): void {
    const owner = call.admitted.owner
    const owned = this.#owners.get(owner) ?? { call: new Set(), listen: new Set() }
    this.#owners.set(owner, owned)
    owned[call.kind].add(call)
    this.#count(call, 1)
  }

  remove(call: RunningCall): void {
    const owner = call.admitted.owner
    const owned = this.#owners.get(owner)
    if (owned === undefined || !owned[call.kind].delete(call)) return
    if (owned.call.size + owned.listen.size === 0) this.#owners.delete(owner)
    this.#count(call, -1)
    if (this.#size === 0) for (const resume of this.#waiting) resume()
  }

  /** The running call of one pipe with this id. */
  find(owner: string, id: RequestId): RunningCall | undefined {
    const owned = this.#owners.get(owner)
    return owned === undefined ? undefined : inOrder(owned).find((call) => call.admitted.request.id === id)
  }

  /** Every running call, also while some of them end. */
  all(): ReadonlyArray<RunningCall> {
    return this.#size === 0 ? [] : [...this.#owners.values()].flatMap(inOrder)
  }

  /** The running calls of one owner. */
  of(owner: string): ReadonlyArray<RunningCall> {
    const owned = this.#owners.get(owner)
    return owned === undefined ? [] : inOrder(owned)
  }

  /** @param kind calls, or listeners; all of them, where it is not said */
  endAll(ending: Ending, kind?: RunningCall["kind"]): void {
    for (const call of this.all()) if (kind === undefined || call.kind === kind) call.end(ending)
  }

  #count({ admitted, kind }: RunningCall, by: 1 | -1): void {
    this.#size += by
    if (kind !== "listen") return
    if (admitted.request.method === "subscriptions/listen") this.#listeners += by
    else this.#streams += by
  }

  readonly #emptied: Effect.Effect<void> = Effect.callback<void>((resume) => {
    const done = () => {
      this.#waiting.delete(done)
      resume(Effect.void)
    }
    this.#waiting.add(done)
    return Effect.sync(() => {
      this.#waiting.delete(done)
    })
  })

  /** Completes when nothing runs. The last call to end is answered in the turn in which it ends, so that is let pass. */
  readonly empty: Effect.Effect<void> = Effect.suspend(() =>
    this.#size === 0 ? Effect.void : Effect.andThen(this.#emptied, Effect.yieldNow)
  )
}

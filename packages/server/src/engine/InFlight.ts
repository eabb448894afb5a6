/**
 * The calls that outlived their first tick, by the owner they are counted for. Two owners never meet, so two clients
 * that both use id 1 cannot cancel each other.
 */
import * as Effect from "effect/Effect"
import type { RequestId } from "@treadle/protocol/rpc"
import type { Ending, RunningCall } from "./RunningCall.ts"

export class InFlight {
  readonly #owners = new Map<string, Set<RunningCall>>()
  readonly #waiting = new Set<() => void>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** How many calls, or listeners, an owner has running. */
  count(owner: string, kind: RunningCall["kind"] = "call"): number {
    let count = 0
    for (const call of this.#owners.get(owner) ?? []) if (call.kind === kind) count++
    return count
  }

  /** How many listeners there are. */
  get listeners(): number {
    return this.all().filter(({ kind }) => kind === "listen").length
  }

  add(call: RunningCall): void {
    const owner = call.admitted.owner
    const calls = this.#owners.get(owner)
    if (calls === undefined) this.#owners.set(owner, new Set([call]))
    else calls.add(call)
    this.#size++
  }

  remove(call: RunningCall): void {
    const owner = call.admitted.owner
    const calls = this.#owners.get(owner)
    if (calls === undefined || !calls.delete(call)) return
    if (calls.size === 0) this.#owners.delete(owner)
    if (--this.#size === 0) for (const resume of this.#waiting) resume()
  }

  /** The running call of one pipe with this id. */
  find(owner: string, id: RequestId): RunningCall | undefined {
    for (const call of this.#owners.get(owner) ?? []) if (call.admitted.request.id === id) return call
    return undefined
  }

  /** Every running call, also while some of them end. */
  all(): ReadonlyArray<RunningCall> {
    return this.#size === 0 ? [] : [...this.#owners.values()].flatMap((calls) => [...calls])
  }

  /** The running calls of one owner. */
  of(owner: string): ReadonlyArray<RunningCall> {
    return [...(this.#owners.get(owner) ?? [])]
  }

  /** @param kind calls, or listeners; all of them, where it is not said */
  endAll(ending: Ending, kind?: RunningCall["kind"]): void {
    for (const call of this.all()) if (kind === undefined || call.kind === kind) call.end(ending)
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

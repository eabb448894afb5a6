/**
 * The calls that outlived their first tick, by the owner they are counted for. Two owners never meet, so two clients
 * that both use id 1 cannot cancel each other.
 */
import * as Effect from "effect/Effect"
import type { RequestId } from "@treadle/protocol/rpc"
import type { Ending, RunningCall } from "./RunningCall.ts"
import type { Sink } from "./Sink.ts"

/** What one owner has running. */
type Owned = { readonly [K in RunningCall["kind"]]: Set<RunningCall> }

const inOrder = ({ call, listen, stream, task }: Owned): ReadonlyArray<RunningCall> => [
  ...call,
  ...listen,
  ...stream,
  ...task
]

export class InFlight {
  readonly #owners = new Map<string, Owned>()
  readonly #waiting = new Set<() => void>()
  readonly #counts = { call: 0, listen: 0, stream: 0, task: 0 }

  get size(): number {
    const { call, listen, stream, task } = this.#counts
    return call + listen + stream + task
  }

  /** Whether an owner has anything running. */
  readonly has = (owner: string): boolean => this.#owners.has(owner)

  /** How many of a kind an owner has running. */
  count(owner: string, kind: RunningCall["kind"] = "call"): number {
    return this.#owners.get(owner)?.[kind].size ?? 0
  }

  /** How many calls run, how many listen requests are open, and how many other streams. */
  get counts(): { readonly calls: number; readonly listeners: number; readonly streams: number } {
    const { call, listen, stream } = this.#counts
    return { calls: call, listeners: listen, streams: stream }
  }

  add(call: RunningCall): void {
    const owner = call.admitted.owner
    const owned = this.#owners.get(owner) ?? { call: new Set(), listen: new Set(), stream: new Set(), task: new Set() }
    this.#owners.set(owner, owned)
    owned[call.kind].add(call)
    this.#counts[call.kind]++
  }

  remove(call: RunningCall): void {
    const owner = call.admitted.owner
    const owned = this.#owners.get(owner)
    if (owned === undefined || !owned[call.kind].delete(call)) return
    if (owned.call.size + owned.listen.size + owned.stream.size + owned.task.size === 0) this.#owners.delete(owner)
    this.#counts[call.kind]--
    for (const look of this.#waiting) look()
  }

  /** A call goes on as a task; one that is registered stays so. */
  becomesTask(call: RunningCall, task: Sink): void {
    const owned = this.#owners.get(call.admitted.owner)
    const { kind } = call
    call.moveTo(task)
    if (owned === undefined || !owned[kind].delete(call)) return
    owned[call.kind].add(call)
    this.#counts[kind]--
    this.#counts[call.kind]++
  }

  /** Lets time pass. @param now milliseconds @returns whether anything runs */
  tick(now: number): boolean {
    for (const call of this.all()) call.tick(now)
    return this.size > 0
  }

  /** The running call of one pipe with this id; a task has answered its request. */
  find(owner: string, id: RequestId): RunningCall | undefined {
    const owned = this.#owners.get(owner)
    return owned === undefined
      ? undefined
      : [...owned.call, ...owned.listen].find((call) => call.admitted.request.id === id)
  }

  /** Every running call, also while some of them end. */
  all(): ReadonlyArray<RunningCall> {
    return this.size === 0 ? [] : [...this.#owners.values()].flatMap(inOrder)
  }

  /** The running calls of one owner. */
  of(owner: string): ReadonlyArray<RunningCall> {
    const owned = this.#owners.get(owner)
    return owned === undefined ? [] : inOrder(owned)
  }

  /** @param kind all of them, where it is not said */
  endAll(ending: Ending, kind?: RunningCall["kind"]): void {
    for (const call of this.all()) if (kind === undefined || call.kind === kind) call.end(ending)
  }

  /** The last call to end is answered in the turn in which it ends, so that is let pass. */
  #once(done: () => boolean): Effect.Effect<void> {
    const become = Effect.callback<void>((resume) => {
      const look = () => {
        if (!done()) return
        this.#waiting.delete(look)
        resume(Effect.void)
      }
      this.#waiting.add(look)
      return Effect.sync(() => {
        this.#waiting.delete(look)
      })
    })
    return Effect.suspend(() => (done() ? Effect.void : Effect.andThen(become, Effect.yieldNow)))
  }

  /** Completes when nothing runs. */
  readonly empty: Effect.Effect<void> = this.#once(() => this.size === 0)

  /** Completes when no call runs, and no task; streams may be open. */
  readonly calm: Effect.Effect<void> = this.#once(() => this.#counts.call + this.#counts.task === 0)
}

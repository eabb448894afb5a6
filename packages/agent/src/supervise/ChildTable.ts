/**
 * The children of one caller: those it may look up by their handles, and those that run. Each change is one step.
 */
import type { Child } from "./Child.ts"

/** Which of those that run: warm ones, or those that end by themselves. */
export type RunningKind = "warm" | "once"

const kindOf = ({ mode }: Child): RunningKind => (mode === "warm" ? "warm" : "once")

export class ChildTable {
  readonly #byHandle = new Map<string, Child>()
  readonly #running = new Set<Child>()
  #started = 0
  #before = 0

  /** Those that were accepted so far; it is the number of the next one. */
  get started(): number {
    return this.#started
  }

  /** Those that were accepted since the caller's turn began. */
  get startedInTurn(): number {
    return this.#started - this.#before
  }

  /** A turn of the caller begins. */
  turn(): void {
    this.#before = this.#started
  }

  /** In the order of their start. */
  get all(): ReadonlyArray<Child> {
    return [...this.#byHandle.values()]
  }

  /** Those whose fiber has not ended, whatever their state says. */
  get live(): ReadonlyArray<Child> {
    return [...this.#running]
  }

  running(kind: RunningKind): number {
    let count = 0
    for (const child of this.#running) if (kindOf(child) === kind) count++
    return count
  }

  get(handle: string): Child | undefined {
    return this.#byHandle.get(handle)
  }

  /** Takes one up; it holds its place among those that run until `gone`. @param kept how many can be looked up */
  add(child: Child, kept: number): void {
    if (this.#byHandle.size >= kept) this.#evict()
    this.#started++
    this.#byHandle.set(child.handle, child)
    this.#running.add(child)
  }

  /** It cannot be looked up any more. */
  forget(handle: string): void {
    this.#byHandle.delete(handle)
  }

  /** Its fiber has ended. */
  gone(child: Child): void {
    this.#running.delete(child)
  }

  /** The oldest that ended; one that runs stays. */
  #evict(): void {
    for (const [handle, child] of this.#byHandle) {
      if (!child.done) continue
      this.#byHandle.delete(handle)
      return
    }
  }
}

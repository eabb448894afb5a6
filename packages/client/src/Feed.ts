/**
 * What a call has been told so far. Whoever listens hears it from the start of the call, however late they come; only
 * the newest items are kept, and every stream ends when the call does.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { NonEmptyReadonlyArray } from "effect/Array"

/** How many items are kept, and how many characters of JSON they may have together; the newest is kept in any case. */
const feedCapacity = 1024
const feedSize = 16 * 1024 * 1024

/** Items of JSON in order, with any number of listeners that each read at their own pace. */
export class Feed<A> {
  #items: Array<A> = []
  readonly #sizes: Array<number> = []
  #size = 0
  /** How many items were dropped before the first that is kept. */
  #dropped = 0
  #ended = false
  readonly #sleepers = new Set<() => void>()

  /** Adds an item, unless the feed has ended. */
  push(item: A): void {
    if (this.#ended) return
    const size = JSON.stringify(item).length
    this.#items.push(item)
    this.#sizes.push(size)
    this.#size += size
    while (this.#items.length > feedCapacity || (this.#size > feedSize && this.#items.length > 1)) this.#drop()
    this.#wake()
  }

  /** Nothing more will come. */
  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** The items from the first that is kept to the end of the feed. */
  readonly stream: Stream.Stream<A> = Stream.fromPull(
    Effect.sync(() => {
      let position = 0
      const pull: Effect.Effect<NonEmptyReadonlyArray<A>, Cause.Done> = Effect.suspend(() => {
        const items = this.#items.slice(Math.max(0, position - this.#dropped))
        position = this.#dropped + this.#items.length
        if (isNonEmpty(items)) return Effect.succeed(items)
        return this.#ended ? Cause.done() : Effect.flatMap(this.#news, () => pull)
      })
      return pull
    })
  )

  readonly #news: Effect.Effect<void> = Effect.callback((resume) => {
    const wake = () => resume(Effect.void)
    this.#sleepers.add(wake)
    return Effect.sync(() => this.#sleepers.delete(wake))
  })

  #drop(): void {
    this.#items.shift()
    this.#size -= this.#sizes.shift() ?? 0
    this.#dropped++
  }

  #wake(): void {
    const sleepers = [...this.#sleepers]
    this.#sleepers.clear()
    for (const wake of sleepers) wake()
  }
}

const isNonEmpty = <A>(items: ReadonlyArray<A>): items is NonEmptyReadonlyArray<A> => items.length > 0

/**
 * Streams that arrive in pieces: every way to cut the same bytes or the same text must read alike.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** What both bytes and text can do. */
export interface Cuttable {
  readonly length: number
  readonly slice: (start: number, end?: number) => this
}

/** Cuts at the given places, whatever their order; places beyond the end and repeated ones cut nothing off. */
export const cutAt = <A extends Cuttable>(whole: A, places: ReadonlyArray<number>): ReadonlyArray<A> => {
  const sorted = [0, ...places.map((place) => Math.min(place, whole.length)), whole.length].sort((a, b) => a - b)
  return sorted.slice(1).map((end, index) => whole.slice(sorted[index] ?? 0, end))
}

/** One element a piece. */
export const crumbs = <A extends Cuttable>(whole: A): ReadonlyArray<A> =>
  Array.from({ length: whole.length }, (_, index) => whole.slice(index, index + 1))

/** Every way to cut once, and every element alone. */
export const everyCut = <A extends Cuttable>(whole: A): ReadonlyArray<ReadonlyArray<A>> => [
  ...Array.from({ length: whole.length + 1 }, (_, place) => [whole.slice(0, place), whole.slice(place)]),
  crumbs(whole)
]

/** Places to cut something of up to `length` elements. */
export const places = (length: number): Arbitrary.Arbitrary<ReadonlyArray<number>> =>
  Arbitrary.schema(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: length }))))

/**
 * Equality of types, for files that the compiler alone runs.
 */

/** `true` where the two types are the same, not only assignable to each other. */
export type Eq<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles where the type is `true`. */
export const is = <T extends true>(proof?: T): T | undefined => proof

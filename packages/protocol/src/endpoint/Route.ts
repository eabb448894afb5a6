/**
 * The HTTP route of an endpoint, as `"GET /shows/:id"`: its parameters are fields of the input, which the compiler
 * checks.
 */
import type { Args } from "./Definition.ts"

type PathParams<P extends string> = P extends `${string}:${infer N}/${infer Rest}`
  ? N | PathParams<`/${Rest}`>
  : P extends `${string}:${infer N}`
    ? N
    : never

type HttpVerb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** The names that every form of an input has; none are known of one that takes any name. */
type FieldNames<I> = keyof Args<I> & string

/**
 * The literal itself when it is a route whose parameters are fields of the input `I`, otherwise a sentence that says why
 * not.
 */
export type Route<R extends string, I> = string extends R
  ? R
  : R extends `${HttpVerb} /${infer P}`
    ? [Exclude<PathParams<P>, FieldNames<I>>] extends [never]
      ? R
      : `":${Exclude<PathParams<P>, FieldNames<I>>}" is not a field of input`
    : 'a route reads like "GET /shows/:id"'

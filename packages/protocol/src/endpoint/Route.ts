/**
 * The HTTP route of an endpoint, as `"GET /shows/:id"`: its parameters are fields of the input, which the compiler
 * checks.
 */

type PathParams<P extends string> = P extends `${string}:${infer N}/${infer Rest}`
  ? N | PathParams<`/${Rest}`>
  : P extends `${string}:${infer N}`
    ? N
    : never

type HttpVerb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** The literal itself when it is a route whose parameters are fields of `F`, otherwise a sentence that says why not. */
export type Route<R extends string, F> = string extends R
  ? R
  : R extends `${HttpVerb} /${infer P}`
    ? [Exclude<PathParams<P>, keyof F>] extends [never]
      ? R
      : `":${Exclude<PathParams<P>, keyof F>}" is not a field of input`
    : 'a route reads like "GET /shows/:id"'

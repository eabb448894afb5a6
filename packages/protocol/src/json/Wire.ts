/**
 * Total decoding of payloads whose JSON form is their typed form.
 *
 * A payload is checked and then handed on as it came, so members that a newer peer added are kept and nothing is
 * copied. Encoding such a payload is the identity.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { problemOptions, schemaProblems } from "./Problems.ts"

/** A schema whose encoded form is its type. */
export type WireSchema<T> = Schema.ConstraintCodec<T, T, never, never>

/** Why a payload does not fit: one sentence a problem. */
export interface Misfit {
  readonly problems: ReadonlyArray<string>
}

/**
 * The decoder of one payload schema.
 *
 * @param schema a schema without transformations
 * @returns a total function: the value that was given, now typed, or the problems found in it
 */
export const wireDecoder = <T>(schema: WireSchema<T>): ((value: unknown) => Result.Result<T, Misfit>) => {
  // Made when it is first asked: a server that reads no such payload should not pay for it at start-up.
  let checks: ReturnType<typeof compile<T>> | undefined
  return (value) => {
    checks ??= compile(schema)
    if (checks.is(value)) return Result.succeed(value)
    const decoded = checks.decode(value, problemOptions(value))
    return Result.isFailure(decoded)
      ? Result.fail({ problems: schemaProblems(decoded.failure.issue) })
      : Result.succeed(decoded.success)
  }
}

const compile = <T>(schema: WireSchema<T>) => ({
  is: Schema.is(schema),
  decode: Schema.decodeUnknownResult(schema)
})

/**
 * Laws that every codec keeps: what is written reads back as it was, through text, and reading never throws.
 *
 * A law is a function of one generated value that throws where the value breaks it, as property tests want it.
 */
import * as Result from "effect/Result"

/** Both directions of a codec. */
export interface WireCodec<A> {
  readonly encode: (value: A) => unknown
  readonly decode: (json: unknown) => Result.Result<A, unknown>
}

const keysOf = (value: object): ReadonlyArray<string> => Object.keys(value).sort()

/**
 * Whether two values are the same JSON: same members whatever their order, `-0` and `0` alike as in JSON text, an own
 * `__proto__` a member like any other.
 */
export const sameJson = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const keys = keysOf(left)
  return (
    keys.length === keysOf(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(Reflect.get(left, key), Reflect.get(right, key)))
  )
}

const text = (value: unknown): string => JSON.stringify(value) ?? String(value)

/** `decode(parse(print(encode(value))))` is the value. */
export const inverts =
  <A>(codec: WireCodec<A>) =>
  (value: A): void => {
    const printed = text(codec.encode(value))
    const decoded = codec.decode(JSON.parse(printed))
    if (Result.isFailure(decoded)) throw new Error(`${printed} does not decode: ${text(decoded.failure)}`)
    if (!sameJson(decoded.success, value)) throw new Error(`${printed} decodes to ${text(decoded.success)}`)
  }

/**
 * Any JSON decodes to a value or to a failure, and what decodes survives being written and read again.
 *
 * @param accept what must hold of a failure
 */
export const isTotal =
  <A, E>(
    codec: { readonly encode: (value: A) => unknown; readonly decode: (json: unknown) => Result.Result<A, E> },
    accept: (failure: E) => boolean = () => true
  ) =>
  (json: unknown): void => {
    const decoded = codec.decode(json)
    if (Result.isSuccess(decoded)) inverts(codec)(decoded.success)
    else if (!accept(decoded.failure)) throw new Error(`${text(json)} is refused with ${text(decoded.failure)}`)
  }

/** What decodes is handed on as it came: nothing is lost, added or reordered. */
export const keepsAll =
  <A>(decode: (json: unknown) => Result.Result<A, unknown>) =>
  (json: unknown): void => {
    const decoded = decode(json)
    if (Result.isSuccess(decoded) && text(decoded.success) !== text(json)) {
      throw new Error(`${text(json)} is read as ${text(decoded.success)}`)
    }
  }

/**
 * JSON values and the safe ways to look into one that came from outside.
 *
 * Keys of such objects are chosen by strangers, so presence is asked with `Object.hasOwn`, and records
 * that collect them have no prototype.
 */

/** Any value that JSON text can say. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** Whether a value is an object with keys: neither null nor an array. */
export const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Whether a value that came out of `JSON.parse` is a JSON object. Only for such values: the members are not visited.
 */
export const isJsonObject = (value: unknown): value is JsonObject => isRecord(value)

/** The own property of a value from outside, or `undefined` where there is none. */
export const own = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** A record without prototype, for keys from outside. */
export const record = <A>(entries: Iterable<readonly [string, A]> = []): { [key: string]: A } => {
  const out: { [key: string]: A } = Object.create(null)
  for (const [key, value] of entries) out[key] = value
  return out
}

/** Parses JSON text to a value, or to `undefined` where the text is not JSON. */
export const parseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

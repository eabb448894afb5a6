/**
 * Payload schemas by method, each with its decoder. A decoder is made when it is first asked for: most processes meet
 * few of the methods.
 */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { wireDecoder, type Misfit } from "../json/index.ts"
import { Meta } from "./Meta.ts"

/** A payload that holds nothing but `_meta`. */
export const Bare = Schema.Struct({ _meta: Schema.optionalKey(Meta) })

/** Payload schemas by method. */
export interface PayloadTable {
  readonly [method: string]: Schema.Top
}

type Decoder = (value: unknown) => Result.Result<object, Misfit>

/** The decoder of each method of a table, or `undefined` for any other. */
export const payloadDecoders = (table: PayloadTable): ((method: string) => Decoder | undefined) => {
  const made = new Map<string, Decoder>()
  return (method) => {
    const known = made.get(method)
    if (known !== undefined) return known
    const schema = Object.hasOwn(table, method) ? table[method] : undefined
    if (schema === undefined) return undefined
    const decoder = wireDecoder(schema as Schema.Codec<object>)
    made.set(method, decoder)
    return decoder
  }
}

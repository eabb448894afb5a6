/**
 * Payload schemas by method, each with its decoder. A decoder is made when it is first asked for: most processes meet
 * few of the methods.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { wireDecoder, type Misfit } from "../json/index.ts"
import { RpcError } from "../rpc/index.ts"
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

/**
 * The reader of the requests of a table.
 *
 * @returns the parameters, or the error to answer with: `-32601` for an unknown method, `-32602` for parameters that do
 *   not fit, with every problem
 */
export const paramsReader = (
  table: PayloadTable
): ((method: string, params: unknown) => Result.Result<object, RpcError>) => {
  const decoderOf = payloadDecoders(table)
  return (method, params) => {
    const decoder = decoderOf(method)
    if (decoder === undefined) return Result.fail(RpcError.methodNotFound(`Unknown method ${JSON.stringify(method)}`))
    return Result.mapError(decoder(params ?? {}), ({ problems }) =>
      RpcError.invalidParams(`Invalid params of ${method}: ${problems.join("; ")}`)
    )
  }
}

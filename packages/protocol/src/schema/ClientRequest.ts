/**
 * The requests a client sends, typed, and their native envelope.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { wireDecoder, type JsonObject } from "../json/index.ts"
import { Message, RpcError, type Request, type RequestId } from "../rpc/index.ts"
import { ClientCapabilities } from "./Capabilities.ts"
import { Implementation } from "./Implementation.ts"
import type { LogLevel } from "./Logging.ts"
import { Meta, MetaKey } from "./Meta.ts"
import type { ProgressToken } from "./Progress.ts"

const meta = { _meta: Schema.optionalKey(Meta) }

const payloads = {
  "server/discover": Schema.Struct(meta),
  "tools/list": Schema.Struct({ cursor: Schema.optionalKey(Schema.String), ...meta }),
  "tools/call": Schema.Struct({
    name: Schema.String,
    arguments: Schema.optionalKey(Schema.JsonObject),
    ...meta
  })
} as const

type Payloads = typeof payloads

/** The methods whose requests are typed. */
export type ClientMethod = keyof Payloads

/** One typed request. */
export type ClientRequest = {
  [M in ClientMethod]: { readonly method: M; readonly params: Payloads[M]["Type"] }
}[ClientMethod]

const decoders = new Map(
  Object.entries(payloads).map(([method, schema]) => [method, wireDecoder(schema as Schema.Codec<object>)])
)

/** Whether a method has a typed request. */
const isKnown = (method: string): method is ClientMethod => decoders.has(method)

/**
 * Reads method and parameters.
 *
 * @returns the request, or the error to answer with: `-32601` for an unknown method, `-32602` for parameters that do
 *   not fit, with every problem
 */
const decode = (method: string, params: unknown): Result.Result<ClientRequest, RpcError> => {
  const decoder = decoders.get(method)
  if (decoder === undefined) return Result.fail(RpcError.methodNotFound(`Unknown method ${JSON.stringify(method)}`))
  const decoded = decoder(params ?? {})
  return Result.isFailure(decoded)
    ? Result.fail(RpcError.invalidParams(`Invalid params of ${method}: ${decoded.failure.problems.join("; ")}`))
    : Result.succeed({ method, params: decoded.success } as ClientRequest)
}

/** What every native request says about its sender (META-01, META-03). */
export interface RequestFacts {
  /** The revision, such as `2026-07-28`. */
  readonly version: string
  readonly capabilities?: ClientCapabilities
  readonly client?: Implementation
  readonly progressToken?: ProgressToken
  readonly logLevel?: LogLevel
  /** Further `_meta` keys, such as `traceparent`. */
  readonly meta?: Meta
}

/** The `_meta` of a native request. */
export const requestMeta = (facts: RequestFacts): Meta => ({
  ...facts.meta,
  [MetaKey.protocolVersion]: facts.version,
  [MetaKey.clientCapabilities]: (facts.capabilities ?? {}) as JsonObject,
  ...(facts.client === undefined ? {} : { [MetaKey.clientInfo]: facts.client as unknown as JsonObject }),
  ...(facts.progressToken === undefined ? {} : { [MetaKey.progressToken]: facts.progressToken }),
  ...(facts.logLevel === undefined ? {} : { [MetaKey.logLevel]: facts.logLevel })
})

/** The request as a native message. */
const toMessage = (id: RequestId, request: ClientRequest, facts: RequestFacts): Request => {
  const params = request.params as JsonObject & { readonly _meta?: Meta }
  return Message.request(id, request.method, { ...params, _meta: { ...params._meta, ...requestMeta(facts) } })
}

/**
 * Builds and reads the requests of a client.
 *
 * @example
 * ```ts
 * import { Message } from "@treadle/protocol/rpc"
 * import { ClientRequest } from "@treadle/protocol/schema"
 *
 * const call = ClientRequest.callTool("get_show", { id: 1 })
 * Message.print(ClientRequest.toMessage(1, call, { version: "2026-07-28" }))
 * // => '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_show","arguments":{"id":1},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
 * ```
 */
export const ClientRequest = {
  discover: (): ClientRequest => ({ method: "server/discover", params: {} }),
  listTools: (cursor?: string): ClientRequest => ({
    method: "tools/list",
    params: cursor === undefined ? {} : { cursor }
  }),
  callTool: (name: string, args?: JsonObject): ClientRequest => ({
    method: "tools/call",
    params: args === undefined ? { name } : { name, arguments: args }
  }),
  isKnown,
  decode,
  toMessage
}

/**
 * The requests that a server of the compat era sends to its client, typed, and what is answered to them. In the native
 * era the same questions travel inside an `input_required` result.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { JsonObject, Misfit } from "../json/index.ts"
import { Message, type Request, type RequestId, type RpcError } from "../rpc/index.ts"
import { ElicitRequest, ElicitResult } from "./Elicitation.ts"
import { Bare, paramsReader, payloadDecoders } from "./PayloadTable.ts"
import { RootsResult } from "./Roots.ts"
import { CreateMessageRequest, CreateMessageResult } from "./Sampling.ts"

const payloads = {
  ping: Bare,
  "elicitation/create": ElicitRequest,
  "sampling/createMessage": CreateMessageRequest,
  "roots/list": Bare
} as const

const answers = {
  ping: Bare,
  "elicitation/create": ElicitResult,
  "sampling/createMessage": CreateMessageResult,
  "roots/list": RootsResult
} as const satisfies { readonly [M in ServerMethod]: Schema.Top }

type Payloads = typeof payloads

/** The methods that a server may send. */
export type ServerMethod = keyof Payloads

/** One typed request: of any method, or of the methods that are named. */
export type ServerRequest<M extends ServerMethod = ServerMethod> = {
  [K in M]: { readonly method: K; readonly params: Payloads[K]["Type"] }
}[M]

/** What a client answers to a method. */
export type ClientAnswer<M extends ServerMethod> = (typeof answers)[M]["Type"]

const read = paramsReader(payloads)
const answerDecoderOf = payloadDecoders(answers)

/** Whether a method has a typed request. */
const isKnown = (method: string): method is ServerMethod => Object.hasOwn(payloads, method)

/**
 * Reads method and parameters.
 *
 * @returns the request, or the error to answer with: `-32601` for an unknown method, `-32602` for parameters that do
 *   not fit, with every problem
 */
const decode = (method: string, params: unknown): Result.Result<ServerRequest, RpcError> =>
  Result.map(read(method, params), (fitting) => ({ method, params: fitting }) as ServerRequest)

/** Reads the `result` member of what a client answers: the answer, or every problem in it. */
const decodeAnswer = <M extends ServerMethod>(method: M, value: unknown): Result.Result<ClientAnswer<M>, Misfit> => {
  const decoder = answerDecoderOf(method)
  return decoder === undefined
    ? Result.fail({ problems: [`${String(method)} has no typed answer`] })
    : (decoder(value) as Result.Result<ClientAnswer<M>, Misfit>)
}

/** The request as a message of the compat era. */
const toMessage = (id: RequestId, request: ServerRequest): Request =>
  Message.request(id, request.method, request.params as JsonObject)

/**
 * Builds and reads the requests of a compat server.
 *
 * @example
 * ```ts
 * import { Message } from "@treadle/protocol/rpc"
 * import { ServerRequest } from "@treadle/protocol/schema"
 *
 * Message.print(ServerRequest.toMessage("a", ServerRequest.ping()))
 * // => '{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}'
 * ```
 */
export const ServerRequest = {
  /** Whether the client is there (INIT-11). */
  ping: (): ServerRequest<"ping"> => ({ method: "ping", params: {} }),
  /** Asks a person (ELIC-04, ELIC-10). */
  elicit: (params: ElicitRequest): ServerRequest<"elicitation/create"> => ({ method: "elicitation/create", params }),
  /**
   * Asks the client's model (SAMP-01).
   *
   * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28.
   */
  createMessage: (params: CreateMessageRequest): ServerRequest<"sampling/createMessage"> => ({
    method: "sampling/createMessage",
    params
  }),
  /**
   * Asks for the folders that the client works in (ROOT-01).
   *
   * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28.
   */
  listRoots: (): ServerRequest<"roots/list"> => ({ method: "roots/list", params: {} }),
  isKnown,
  decode,
  decodeAnswer,
  /** The schema of what is answered to each method. */
  answers,
  toMessage
}

/**
 * JSON-RPC 2.0 messages as MCP uses them: one message at a time, no batches, ids that are never null when written.
 *
 * Decoding is total: any value becomes a message or the error to answer with.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic
 */
import * as Result from "effect/Result"
import { isJsonObject, isRecord, nestsDeeper, type Json, type JsonObject } from "../json/index.ts"
import { isRequestId, type RequestId } from "./RequestId.ts"
import { RpcError } from "./RpcError.ts"

/** A request: it is answered once, with its own id. */
export interface Request {
  readonly _tag: "Request"
  readonly id: RequestId
  readonly method: string
  readonly params?: JsonObject
}

/** A notification: it is never answered. */
export interface Notification {
  readonly _tag: "Notification"
  readonly method: string
  readonly params?: JsonObject
}

/** The answer of a request that was served. */
export interface ResultMessage {
  readonly _tag: "Result"
  readonly id: RequestId
  readonly result: JsonObject
}

/** The answer of a request that was not; `id` is absent where the sender could not read it (BASE-12). */
export interface ErrorMessage {
  readonly _tag: "Error"
  readonly id?: RequestId
  readonly error: RpcError
}

export type Message = Request | Notification | ResultMessage | ErrorMessage

/** The error to answer a value with that is no message, and the id it is about where one could be read. */
export interface BadMessage {
  readonly error: RpcError
  readonly id?: RequestId
}

const bad = (value: unknown, why: string): Result.Result<never, BadMessage> => {
  const error = RpcError.invalidRequest(`Invalid request: ${why}`)
  return Result.fail(isRecord(value) && isRequestId(value["id"]) ? { error, id: value["id"] } : { error })
}

const request = (id: RequestId, method: string, params?: JsonObject): Request =>
  params === undefined ? { _tag: "Request", id, method } : { _tag: "Request", id, method, params }

const notification = (method: string, params?: JsonObject): Notification =>
  params === undefined ? { _tag: "Notification", method } : { _tag: "Notification", method, params }

const decodeCall = (value: { readonly [key: string]: unknown }): Result.Result<Message, BadMessage> => {
  const { id, method, params } = value
  if (typeof method !== "string") return bad(value, `"method" must be a string`)
  if (params !== undefined && !isJsonObject(params)) return bad(value, `"params" must be an object`)
  if (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))
    return bad(value, `a message with "method" has no "result" and no "error"`)
  if (!Object.hasOwn(value, "id")) return Result.succeed(notification(method, params))
  if (!isRequestId(id)) return bad(value, `"id" must be a string or an integer`)
  return Result.succeed(request(id, method, params))
}

const decodeAnswer = (value: { readonly [key: string]: unknown }): Result.Result<Message, BadMessage> => {
  const { id, result } = value
  if (Object.hasOwn(value, "result")) {
    if (Object.hasOwn(value, "error")) return bad(value, `an answer has "result" or "error", not both`)
    if (!isRequestId(id)) return bad(value, `"id" must be a string or an integer`)
    if (!isJsonObject(result)) return bad(value, `"result" must be an object`)
    return Result.succeed({ _tag: "Result", id, result })
  }
  if (!Object.hasOwn(value, "error")) return bad(value, `it has neither "method" nor "result" nor "error"`)
  const error = RpcError.decode(value["error"])
  if (Result.isFailure(error)) return bad(value, error.failure)
  if (id === undefined || id === null) return Result.succeed({ _tag: "Error", error: error.success })
  if (!isRequestId(id)) return bad(value, `"id" must be a string or an integer`)
  return Result.succeed({ _tag: "Error", id, error: error.success })
}

/** How deep a message may nest where nothing else is said: whoever prints or checks it does so by recursion. */
export const defaultNesting = 512

/**
 * Reads one value, as `JSON.parse` gives it.
 *
 * @param nesting the most levels of lists and objects that it may have, 512 by default
 * @returns the message, or the `-32600` to answer with
 */
const decode = (value: unknown, nesting = defaultNesting): Result.Result<Message, BadMessage> => {
  if (nestsDeeper(value, nesting)) return bad(value, `the message nests deeper than ${nesting} levels`)
  if (Array.isArray(value)) return bad(undefined, "batches are not part of MCP; send one message at a time")
  if (!isRecord(value)) return bad(undefined, "a message is a JSON object")
  if (value["jsonrpc"] !== "2.0") return bad(value, `"jsonrpc" must be "2.0"`)
  return Object.hasOwn(value, "method") ? decodeCall(value) : decodeAnswer(value)
}

/** The JSON of a message. */
const encode = (message: Message): JsonObject => {
  switch (message._tag) {
    case "Request":
      return {
        jsonrpc: "2.0",
        id: message.id,
        method: message.method,
        ...(message.params === undefined ? {} : { params: message.params })
      }
    case "Notification":
      return {
        jsonrpc: "2.0",
        method: message.method,
        ...(message.params === undefined ? {} : { params: message.params })
      }
    case "Result":
      return { jsonrpc: "2.0", id: message.id, result: message.result }
    case "Error":
      return {
        jsonrpc: "2.0",
        ...(message.id === undefined ? {} : { id: message.id }),
        error: RpcError.encode(message.error)
      }
  }
}

/** The message as one line of JSON, without a line end. */
const print = (message: Message): string => JSON.stringify(encode(message))

/**
 * Constructors and codecs of messages.
 *
 * @example
 * ```ts
 * import { Message } from "@treadle/protocol/rpc"
 *
 * Message.print(Message.notification("notifications/cancelled", { requestId: 7 }))
 * // => '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
 * ```
 */
export const Message = {
  request,
  notification,
  result: (id: RequestId, result: JsonObject): ResultMessage => ({ _tag: "Result", id, result }),
  /** @param id left out where the id of the request could not be read */
  error: (id: RequestId | undefined, error: RpcError): ErrorMessage =>
    id === undefined ? { _tag: "Error", error } : { _tag: "Error", id, error },
  decode,
  encode,
  print
}

/** The JSON-RPC line of a result whose text is printed already. */
export const printResult = (id: RequestId, result: string): string =>
  `{"jsonrpc":"2.0","id":${typeof id === "string" ? JSON.stringify(id) : id},"result":${result}}`

/** The JSON-RPC line of a notification whose parameters are any JSON. */
export const printNotification = (method: string, params: Json): string =>
  `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`

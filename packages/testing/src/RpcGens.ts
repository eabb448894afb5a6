/**
 * Generators of JSON and of JSON-RPC messages: valid ones, and values that almost are.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import type { Json, JsonObject } from "@treadle/protocol/json"
import { Message, RpcError, type RequestId } from "@treadle/protocol/rpc"

const either = <A>(...choices: readonly [Arbitrary.Arbitrary<A>, ...ReadonlyArray<Arbitrary.Arbitrary<A>>]) =>
  Arbitrary.flatMap(index(choices.length), (at) => choices[at] ?? choices[0])

const index = (length: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: length - 1 })))

/** Any JSON, with keys such as `__proto__` and lone surrogates in its strings. */
export const json: Arbitrary.Arbitrary<Json> = Arbitrary.schema(Schema.Json)

/** Any JSON object. */
export const jsonObject: Arbitrary.Arbitrary<JsonObject> = Arbitrary.schema(Schema.JsonObject)

/** Any string, lone surrogates included. */
export const anyText: Arbitrary.Arbitrary<string> = Arbitrary.schema(Schema.String)

/** A string that UTF-8 can carry. */
export const wellFormedText: Arbitrary.Arbitrary<string> = Arbitrary.filter(
  anyText,
  (text) => !/\p{Surrogate}/u.test(text)
)

/** Names that mean something to JavaScript objects or to JSON-RPC. */
const tellingKeys = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "jsonrpc",
  "id",
  "method",
  "params",
  "result",
  "error",
  "code",
  "message",
  "data",
  "_meta",
  "name",
  "arguments",
  "content",
  "type",
  "text"
] as const

const tellingValues: ReadonlyArray<Json> = [
  null,
  true,
  0,
  1,
  -1.5,
  2 ** 53,
  "",
  "2.0",
  "tools/call",
  "notifications/progress",
  "text",
  "object",
  [],
  {},
  [{}]
]

const setOwn = (target: JsonObject, key: string, value: Json): JsonObject =>
  Object.defineProperty({ ...target }, key, { value, enumerable: true, configurable: true, writable: true })

/** JSON objects made of the keys and values on which a decoder decides, so that the deep branches are reached. */
export const tellingObject: Arbitrary.Arbitrary<JsonObject> = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([index(tellingKeys.length), index(tellingValues.length)]), { maxLength: 8 }),
  (pairs) =>
    pairs.reduce<JsonObject>((out, [key, value]) => setOwn(out, tellingKeys[key] ?? "", tellingValues[value] ?? null), {
      jsonrpc: "2.0"
    })
)

/** Any JSON or a telling object, which may itself be a member of one. */
export const hostileJson: Arbitrary.Arbitrary<Json> = either<Json>(
  json,
  tellingObject,
  Arbitrary.map(Arbitrary.all([tellingObject, tellingObject, index(tellingKeys.length)]), ([outer, inner, key]) =>
    setOwn(outer, tellingKeys[key] ?? "", inner)
  )
)

/** Any id of a request. */
export const requestId: Arbitrary.Arbitrary<RequestId> = Arbitrary.schema(Schema.Union([Schema.String, Schema.Int]))

const withData = (make: (message: string, data?: Json) => RpcError) =>
  Arbitrary.map(Arbitrary.all([anyText, Arbitrary.schema(Schema.UndefinedOr(Schema.Json))]), ([message, data]) =>
    make(message, data)
  )

/** Any error that can be built, with codes of applications among them. */
export const rpcError: Arbitrary.Arbitrary<RpcError> = either<RpcError>(
  withData(RpcError.parseError),
  withData(RpcError.invalidRequest),
  withData(RpcError.methodNotFound),
  withData(RpcError.invalidParams),
  withData(RpcError.internal),
  withData(RpcError.headerMismatch),
  withData((message, data) => RpcError.other(1 + message.length, message, data)),
  Arbitrary.map(Arbitrary.all([anyText, jsonObject]), ([message, needed]) =>
    RpcError.missingCapability(message, needed)
  ),
  Arbitrary.map(Arbitrary.all([anyText, Arbitrary.schema(Schema.Array(Schema.String))]), ([asked, supported]) =>
    RpcError.unsupportedVersion(asked, supported)
  )
)

const optionalParams = Arbitrary.schema(Schema.UndefinedOr(Schema.JsonObject))

/** Any message that can be built. */
export const message: Arbitrary.Arbitrary<Message> = either<Message>(
  Arbitrary.map(Arbitrary.all([requestId, anyText, optionalParams]), ([id, method, params]) =>
    Message.request(id, method, params)
  ),
  Arbitrary.map(Arbitrary.all([anyText, optionalParams]), ([method, params]) => Message.notification(method, params)),
  Arbitrary.map(Arbitrary.all([requestId, jsonObject]), ([id, result]) => Message.result(id, result)),
  Arbitrary.map(
    Arbitrary.all([Arbitrary.schema(Schema.UndefinedOr(Schema.Union([Schema.String, Schema.Int]))), rpcError]),
    ([id, error]) => Message.error(id, error)
  )
)

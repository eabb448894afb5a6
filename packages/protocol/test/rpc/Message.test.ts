import { assert, describe, it } from "@effect/vitest"
import { isRequestId, Message, printNotification, printResult, RpcError } from "@treadle/protocol/rpc"
import { hostileJson, inverts, isTotal, json, message, requestId } from "@treadle/testing"
import * as Result from "effect/Result"

const decode = (text: string) => Message.decode(JSON.parse(text))

const refusal = (why: string, id?: string | number) =>
  Result.fail({ error: RpcError.invalidRequest(`Invalid request: ${why}`), ...(id === undefined ? {} : { id }) })

describe("Message laws", () => {
  it.prop("what is built is read back as it was", [message], ([one]) => inverts(Message)(one))

  it.prop("any JSON is a message, or a -32600 to answer with and an id that may be repeated", [hostileJson], ([one]) =>
    isTotal(Message, ({ error, id }) => error.code === -32600 && (id === undefined || isRequestId(id)))(one)
  )

  it.prop("BASE-12 no message is written with a null id", [hostileJson], ([one]) => {
    const read = Message.decode(one)
    if (Result.isSuccess(read)) assert.notInclude(Object.values(Message.encode(read.success)), null)
  })

  it.prop("printing by parts equals printing a message", [requestId, json], ([id, value]) => {
    assert.strictEqual(printResult(id, JSON.stringify({ value })), Message.print(Message.result(id, { value })))
    assert.strictEqual(printNotification("x", { value }), Message.print(Message.notification("x", { value })))
  })
})

describe("Message.decode accepts", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}', Message.request(1, "tools/list")],
    ['{"jsonrpc":"2.0","id":"","method":"tools/list","params":{}}', Message.request("", "tools/list", {})],
    ['{"jsonrpc":"2.0","id":0,"method":"ping"}', Message.request(0, "ping")],
    ['{"jsonrpc":"2.0","id":1.0,"method":"ping"}', Message.request(1, "ping")],
    ['{"jsonrpc":"2.0","id":-7,"method":"ping"}', Message.request(-7, "ping")],
    ['{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled"}', Message.request(1, "notifications/cancelled")],
    ['{"jsonrpc":"2.0","method":"tools/list"}', Message.notification("tools/list")],
    ['{"jsonrpc":"2.0","method":"x","params":{"a":[null]}}', Message.notification("x", { a: [null] })],
    ['{"jsonrpc":"2.0","id":"a","result":{}}', Message.result("a", {})],
    ['{"jsonrpc":"2.0","id":1,"method":"x","extra":true}', Message.request(1, "x")]
  ])("BASE-02 BASE-15 %s", (text, expected) => {
    assert.deepStrictEqual(decode(text), Result.succeed(expected))
  })

  it.each([
    ["absent", '{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}'],
    ["null", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}']
  ])("BASE-12 an error whose id is %s, and writes it without one", (_, text) => {
    const read = Result.getOrThrow(decode(text))
    assert.deepStrictEqual(read, Message.error(undefined, RpcError.parseError("m")))
    assert.strictEqual(Message.print(read), '{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}')
  })

  it("BASE-12 an error with an id, and keeps it", () => {
    const text = '{"jsonrpc":"2.0","id":"q","error":{"code":-32601,"message":"m","data":null}}'
    assert.deepStrictEqual(decode(text), Result.succeed(Message.error("q", RpcError.methodNotFound("m", null))))
    assert.strictEqual(Message.print(Result.getOrThrow(decode(text))), text)
  })

  it("parameters with own __proto__ and constructor keys, untouched", () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"x","params":{"__proto__":{"polluted":true},"constructor":1}}'
    assert.strictEqual(Message.print(Result.getOrThrow(decode(text))), text)
    assert.isUndefined(Reflect.get({}, "polluted"))
  })

  it("B096: messages of 512 levels, or of as many as are said", () => {
    const message = (levels: number) => ({ jsonrpc: "2.0", method: "x", params: { deep: nested(levels - 2) } })
    assert.isTrue(Result.isSuccess(Message.decode(message(512))))
    assert.isTrue(Result.isSuccess(Message.decode(message(10), 10)))
  })
})

/** Lists within lists. */
const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + 0 + "]".repeat(levels))

const integerId = `"id" must be a string or an integer`
const paramsObject = `"params" must be an object`

describe("Message.decode refuses", () => {
  it.each([
    [513, 512, undefined],
    [100_000, 512, undefined],
    [11, 10, 10]
  ])("B096: a message of %i levels where %i are read, without running out of stack", (levels, most, said) => {
    const value = { jsonrpc: "2.0", id: 7, method: "x", params: { deep: nested(levels - 2) } }
    const error = RpcError.invalidRequest(`Invalid request: the message nests deeper than ${most} levels`)
    assert.deepStrictEqual(Message.decode(value, said), Result.fail({ error, id: 7 }))
  })

  it.each([
    [
      "BASE-24 a batch",
      '[{"jsonrpc":"2.0","id":1,"method":"x"}]',
      "batches are not part of MCP; send one message at a time",
      undefined
    ],
    ["BASE-24 an empty batch", "[]", "batches are not part of MCP; send one message at a time", undefined],
    ["BASE-01 a string", '"tools/list"', "a message is a JSON object", undefined],
    ["BASE-01 null", "null", "a message is a JSON object", undefined],
    ["BASE-01 no version", '{"id":1,"method":"x"}', `"jsonrpc" must be "2.0"`, 1],
    ["BASE-01 another version", '{"jsonrpc":"1.0","id":1,"method":"x"}', `"jsonrpc" must be "2.0"`, 1],
    ["BASE-01 a number as version", '{"jsonrpc":2.0,"id":"a","method":"x"}', `"jsonrpc" must be "2.0"`, "a"],
    ["BASE-02 a request with a null id", '{"jsonrpc":"2.0","id":null,"method":"x"}', integerId, undefined],
    ["BASE-02 a request with a fraction as id", '{"jsonrpc":"2.0","id":1.5,"method":"x"}', integerId, undefined],
    [
      "BASE-02 an id beyond the safe integers",
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}',
      integerId,
      undefined
    ],
    ["BASE-02 an object as id", '{"jsonrpc":"2.0","id":{},"method":"x"}', integerId, undefined],
    ["BASE-02 a boolean as id", '{"jsonrpc":"2.0","id":true,"method":"x"}', integerId, undefined],
    ["a method that is no string", '{"jsonrpc":"2.0","id":3,"method":7}', `"method" must be a string`, 3],
    ["a null method", '{"jsonrpc":"2.0","id":3,"method":null}', `"method" must be a string`, 3],
    ["params that are a list", '{"jsonrpc":"2.0","id":3,"method":"x","params":[1]}', paramsObject, 3],
    ["params that are null", '{"jsonrpc":"2.0","id":3,"method":"x","params":null}', paramsObject, 3],
    ["params of a notification that are text", '{"jsonrpc":"2.0","method":"x","params":"a"}', paramsObject, undefined],
    [
      "a request with a result",
      '{"jsonrpc":"2.0","id":3,"method":"x","result":{}}',
      `a message with "method" has no "result" and no "error"`,
      3
    ],
    [
      "a notification with an error",
      '{"jsonrpc":"2.0","method":"x","error":{}}',
      `a message with "method" has no "result" and no "error"`,
      undefined
    ],
    [
      "BASE-07 an answer with both",
      '{"jsonrpc":"2.0","id":3,"result":{},"error":{"code":1,"message":"m"}}',
      `an answer has "result" or "error", not both`,
      3
    ],
    ["BASE-07 a result without id", '{"jsonrpc":"2.0","result":{}}', integerId, undefined],
    ["BASE-07 a result with a null id", '{"jsonrpc":"2.0","id":null,"result":{}}', integerId, undefined],
    ["BASE-07 a result that is a list", '{"jsonrpc":"2.0","id":3,"result":[]}', `"result" must be an object`, 3],
    ["BASE-07 a result that is null", '{"jsonrpc":"2.0","id":3,"result":null}', `"result" must be an object`, 3],
    ["nothing but an id", '{"jsonrpc":"2.0","id":3}', `it has neither "method" nor "result" nor "error"`, 3],
    ["BASE-13 an error that is text", '{"jsonrpc":"2.0","id":3,"error":"no"}', `"error.code" must be an integer`, 3],
    [
      "BASE-13 an error with a fraction as code",
      '{"jsonrpc":"2.0","id":3,"error":{"code":1.5,"message":"m"}}',
      `"error.code" must be an integer`,
      3
    ],
    [
      "BASE-13 an error without message",
      '{"jsonrpc":"2.0","id":3,"error":{"code":1}}',
      `"error.message" must be a string`,
      3
    ],
    [
      "BASE-12 an error with an object as id",
      '{"jsonrpc":"2.0","id":{},"error":{"code":1,"message":"m"}}',
      integerId,
      undefined
    ],
    [
      "members that only the prototype has",
      '{"jsonrpc":"2.0","id":3,"__proto__":{"method":"x"}}',
      `it has neither "method" nor "result" nor "error"`,
      3
    ]
  ])("%s, and keeps a readable id", (_, text, why, id) => {
    assert.deepStrictEqual(decode(text), refusal(why, id))
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Message, methodNames, RpcError } from "@treadle/protocol/rpc"
import {
  ClientRequest,
  KnownNotification,
  MetaKey,
  requestMeta,
  ServerResult,
  type ClientMethod
} from "@treadle/protocol/schema"
import { anyText, hostileJson, inverts, jsonObject, keepsAll, requestId } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const methods = ["server/discover", "tools/list", "tools/call"] as const
const method = Arbitrary.schema(Schema.Literals(methods))
const native = { version: "2026-07-28" }

const built = Arbitrary.map(
  Arbitrary.all([
    method,
    anyText,
    Arbitrary.schema(Schema.UndefinedOr(Schema.JsonObject)),
    Arbitrary.schema(Schema.UndefinedOr(Schema.String))
  ]),
  ([which, name, args, cursor]): ClientRequest =>
    which === "server/discover"
      ? ClientRequest.discover()
      : which === "tools/list"
        ? ClientRequest.listTools(cursor)
        : ClientRequest.callTool(name, args)
)

describe("ClientRequest", () => {
  it.prop("what is built is read back as it was", [built], ([request]) =>
    inverts<ClientRequest>({
      encode: ({ params }) => params,
      decode: (params) => ClientRequest.decode(request.method, params)
    })(request)
  )

  it.prop(
    "any method with any params is a request, a -32601 or a -32602",
    [anyText, method, hostileJson],
    ([name, known, params]) => {
      for (const one of [name, known]) {
        const decoded = ClientRequest.decode(one, params)
        if (Result.isSuccess(decoded))
          assert.deepStrictEqual<unknown>(decoded.success, { method: one, params: params ?? {} })
        else assert.strictEqual(decoded.failure._tag, ClientRequest.isKnown(one) ? "InvalidParams" : "MethodNotFound")
      }
    }
  )

  it.prop("META-15 members and _meta keys that it does not know are kept", [method, jsonObject], ([one, more]) => {
    keepsAll((params) => Result.map(ClientRequest.decode(one, params), (request) => request.params))({
      name: "t",
      _meta: more,
      "x.example/later": more
    })
  })

  it.prop(
    "META-01 the message of a request decodes to the same request with its envelope",
    [requestId, built],
    ([id, request]) => {
      const message = ClientRequest.toMessage(id, request, native)
      const read = Result.getOrThrow(Message.decode(JSON.parse(Message.print(message))))
      assert.deepStrictEqual<unknown>(JSON.parse(JSON.stringify(read)), JSON.parse(JSON.stringify(message)))
      assert.deepStrictEqual<unknown>(message.params, { ...request.params, _meta: requestMeta(native) })
    }
  )

  it.each(["", "tools", "Tools/call", "tools/call ", "__proto__", "constructor", "toString", "initialize"])(
    "ERR-01 %s is an unknown method",
    (name) => {
      assert.deepStrictEqual(
        ClientRequest.decode(name, {}),
        Result.fail(RpcError.methodNotFound(`Unknown method ${JSON.stringify(name)}`))
      )
    }
  )

  it("ERR-03 the error for params that do not fit names every problem with its path", () => {
    assert.deepStrictEqual(
      ClientRequest.decode("tools/call", { arguments: [], _meta: 1 }),
      Result.fail(
        RpcError.invalidParams(
          "Invalid params of tools/call: name: Missing key; arguments: Expected object; _meta: Expected object"
        )
      )
    )
  })

  it("params may be absent where nothing in them is required", () => {
    assert.isTrue(Result.isSuccess(ClientRequest.decode("tools/list", undefined)))
    assert.isTrue(Result.isFailure(ClientRequest.decode("tools/call", undefined)))
  })

  it("META-01 META-03 META-09 META-10 META-14 the envelope says what the facts say, and no more", () => {
    const client = { name: "box", version: "1" }
    assert.deepStrictEqual(requestMeta(native), {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {}
    })
    assert.deepStrictEqual<unknown>(
      requestMeta({
        version: "2026-07-28",
        capabilities: { sampling: {} },
        client,
        progressToken: 0,
        logLevel: "info",
        meta: { traceparent: "00-a-b-01", [MetaKey.protocolVersion]: "1999-01-01" }
      }),
      {
        traceparent: "00-a-b-01",
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
        "io.modelcontextprotocol/clientInfo": client,
        progressToken: 0,
        "io.modelcontextprotocol/logLevel": "info"
      }
    )
  })

  it("every typed request is a method of MCP that a client sends", () => {
    for (const one of methods) assert.include(methodNames, one)
    assert.isTrue(methods.every(ClientRequest.isKnown))
  })
})

const complete: { readonly [M in ClientMethod]: { readonly [key: string]: unknown } } = {
  "server/discover": { supportedVersions: ["2026-07-28"], capabilities: {} },
  "tools/list": { tools: [] },
  "tools/call": { content: [] }
}

describe("ServerResult", () => {
  it.prop("any JSON is a result that is kept whole, or names its problems", [method, hostileJson], ([one, value]) => {
    const decode = (json: unknown) => ServerResult.decode(one, json)
    keepsAll(decode)(value)
    const decoded = decode(value)
    if (Result.isFailure(decoded)) assert.isAbove(decoded.failure.problems.length, 0)
  })

  it.each(methods)("BASE-09 a result of %s without resultType is complete", (one) => {
    assert.deepStrictEqual<unknown>(ServerResult.decode(one, complete[one]), Result.succeed(complete[one]))
    const said = { resultType: "complete", ...complete[one] }
    assert.deepStrictEqual<unknown>(ServerResult.decode(one, said), Result.succeed(said))
  })

  it.each(methods)("BASE-10 a result of %s with a resultType that is not understood is invalid", (one) => {
    assert.deepStrictEqual<unknown>(
      ServerResult.decode(one, { resultType: "later", ...complete[one] }),
      Result.fail({ problems: ['resultType "later" is not one this client understands'] })
    )
    assert.isTrue(Result.isFailure(ServerResult.decode(one, { resultType: null, ...complete[one] })))
  })
})

describe("KnownNotification", () => {
  it.prop("any notification is typed, unknown, or names its problems", [anyText, hostileJson], ([name, params]) => {
    const known = [
      "notifications/cancelled",
      "notifications/progress",
      "notifications/message",
      "notifications/tools/list_changed"
    ]
    for (const one of [name, ...known]) {
      const decoded = KnownNotification.decode(Message.notification(one, params as never))
      if (decoded === undefined) assert.notInclude(known, one)
      else if (Result.isFailure(decoded)) assert.isAbove(decoded.failure.problems.length, 0)
      else assert.deepStrictEqual<unknown>(KnownNotification.toMessage(decoded.success).params, params ?? {})
    }
  })

  it.each([
    ["CANCEL-02", "notifications/cancelled", { requestId: "7", reason: "r" }],
    ["CANCEL-04", "notifications/cancelled", { requestId: 7 }],
    ["PROG-01", "notifications/progress", { progressToken: 0, progress: 0.5, total: 1, message: "half" }],
    ["LOG-04", "notifications/message", { level: "emergency", data: null }],
    ["BASE-23", "notifications/tools/list_changed", {}],
    ["BASE-23", "notifications/prompts/list_changed", {}],
    ["BASE-23", "notifications/resources/list_changed", {}]
  ])("%s %s inverts", (_, name, params) => {
    const message = Message.notification(name, params)
    const decoded = KnownNotification.decode(message)
    assert.isDefined(decoded)
    assert.deepStrictEqual(Result.map(decoded, KnownNotification.toMessage), Result.succeed(message))
  })

  it.each([
    ["CANCEL-02 a cancellation of no request", "notifications/cancelled", { reason: "r" }, "requestId: Missing key"],
    [
      "PROG-01 progress that is text",
      "notifications/progress",
      { progressToken: 1, progress: "1" },
      "progress: Expected number"
    ],
    ["LOG-04 a level that is none", "notifications/message", { level: "loud", data: 1 }, 'level: Expected "debug"']
  ])("%s names the member", (_, name, params, problem) => {
    const decoded = KnownNotification.decode(Message.notification(name, params))
    assert.isTrue(
      decoded !== undefined && Result.isFailure(decoded) && decoded.failure.problems[0]?.startsWith(problem)
    )
  })
})

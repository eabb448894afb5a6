import { assert, describe, it } from "@effect/vitest"
import { Message, methodNames, methodRow } from "@treadle/protocol/rpc"
import {
  CreateMessageRequest,
  ElicitRequest,
  InputRequest,
  ServerRequest,
  type ServerMethod
} from "@treadle/protocol/schema"
import { wireDecoder } from "@treadle/protocol/json"
import { anyText, hostileJson, inverts, isTotal, keepsAll, requestId } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const methods = methodNames.filter(ServerRequest.isKnown)
const method = Arbitrary.schema(Schema.Literals(methods))

const built: Arbitrary.Arbitrary<ReadonlyArray<ServerRequest>> = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(ElicitRequest), Arbitrary.schema(CreateMessageRequest)]),
  ([question, messages]) => [
    ServerRequest.ping(),
    ServerRequest.elicit(question),
    ServerRequest.createMessage(messages),
    ServerRequest.listRoots()
  ]
)

describe("ServerRequest", () => {
  it("BASE-22 every request that MCP has a server send is typed", () => {
    const sent = methodNames.filter((name) => {
      const row = methodRow(name)
      return row?.kind === "request" && row.from !== "client"
    })
    assert.sameMembers([...methods], sent)
  })

  it.prop("what is built is sent and read back as it was", [requestId, built], ([id, requests]) => {
    for (const request of requests) {
      inverts<ServerRequest>({
        encode: (one) => ServerRequest.toMessage(id, one).params,
        decode: (params) => ServerRequest.decode(request.method, params)
      })(request)
      assert.strictEqual(ServerRequest.toMessage(id, request).id, id)
    }
  })

  it.prop(
    "any method with any params is a request, a -32601 or a -32602",
    [anyText, method, hostileJson],
    ([name, known, params]) => {
      for (const one of [name, known]) {
        const decoded = ServerRequest.decode(one, params)
        if (Result.isSuccess(decoded))
          assert.deepStrictEqual<unknown>(decoded.success, { method: one, params: params ?? {} })
        else assert.strictEqual(decoded.failure._tag, ServerRequest.isKnown(one) ? "InvalidParams" : "MethodNotFound")
      }
    }
  )

  it.prop("any JSON is an answer that is kept whole, or names its problems", [method, hostileJson], ([one, value]) => {
    const decode = (json: unknown) => ServerRequest.decodeAnswer(one, json)
    keepsAll(decode)(value)
    isTotal({ encode: (answer: unknown) => answer, decode }, ({ problems }) => problems.length > 0)(value)
  })

  it.prop("MRTR-04 all but ping are questions of the native era too", [built], ([requests]) => {
    const decode = wireDecoder(InputRequest)
    for (const request of requests) assert.strictEqual(Result.isSuccess(decode(request)), request.method !== "ping")
  })

  it.each([
    ["ping", {}],
    ["elicitation/create", { action: "accept", content: { name: "Ada", seats: 2, vip: true, days: ["mon"] } }],
    ["elicitation/create", { action: "decline", content: null }],
    [
      "sampling/createMessage",
      { role: "assistant", content: { type: "text", text: "4" }, model: "m", stopReason: "vendor/refused" }
    ],
    ["sampling/createMessage", { role: "assistant", content: [{ type: "later", x: 1 }], model: "m" }],
    ["roots/list", { roots: [{ uri: "file:///a" }], later: 1 }]
  ] as ReadonlyArray<readonly [ServerMethod, unknown]>)(
    "ELIC-07 SAMP-09 ROOT-01 an answer to %s is read as it came: %j",
    (one, answer) => {
      assert.deepStrictEqual<unknown>(ServerRequest.decodeAnswer(one, answer), Result.succeed(answer))
    }
  )

  it.each([
    ["elicitation/create", { action: "yes" }, "action"],
    ["elicitation/create", { action: "accept", content: { a: { b: 1 } } }, "content.a"],
    ["sampling/createMessage", { role: "assistant", content: { type: "text" }, model: "m" }, "content"],
    ["roots/list", { roots: [{}] }, "roots[0].uri"]
  ] as ReadonlyArray<readonly [ServerMethod, unknown, string]>)(
    "an answer to %s that does not fit names the member: %j",
    (one, answer, path) => {
      const decoded = ServerRequest.decodeAnswer(one, answer)
      assert.isTrue(Result.isFailure(decoded) && decoded.failure.problems.some((problem) => problem.startsWith(path)))
    }
  )

  it.each([
    ["ELIC-03 no mode is a form", { message: "m", requestedSchema: { type: "object", properties: {} } }, true],
    [
      "ELIC-05 a field of an unknown format is text",
      { message: "m", requestedSchema: { type: "object", properties: { a: { type: "string", format: "color" } } } },
      true
    ],
    [
      "ELIC-04 a form is flat",
      { message: "m", requestedSchema: { type: "object", properties: { a: { type: "object" } } } },
      false
    ],
    [
      "ELIC-05 choices are strings",
      { message: "m", requestedSchema: { type: "object", properties: { a: { type: "string", enum: [1] } } } },
      false
    ],
    ["ELIC-10 a page has an address", { mode: "url", message: "m" }, false],
    ["ELIC-03 an unknown mode is refused", { mode: "voice", message: "m", url: "https://a.example" }, false]
  ])("%s", (_, params, fits) => {
    assert.strictEqual(Result.isSuccess(ServerRequest.decode("elicitation/create", params)), fits)
  })

  it("prints as a request of the compat era", () => {
    assert.strictEqual(
      Message.print(ServerRequest.toMessage(1, ServerRequest.elicit({ mode: "url", message: "m", url: "https://a" }))),
      '{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a"}}'
    )
  })
})

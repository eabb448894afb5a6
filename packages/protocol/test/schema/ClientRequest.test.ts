import { assert, describe, it } from "@effect/vitest"
import { Message, methodNames, methodRow, RpcError } from "@treadle/protocol/rpc"
import {
  ClientRequest,
  CompletionArgument,
  CompletionReference,
  InitializeRequest,
  InputResponses,
  LogLevel,
  MetaKey,
  requestMeta,
  SubscriptionFilter,
  type InputRound
} from "@treadle/protocol/schema"
import { anyText, hostileJson, inverts, jsonObject, keepsAll, requestId } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const methods = methodNames.filter(ClientRequest.isKnown)
const method = Arbitrary.schema(Schema.Literals(methods))
const native = { version: "2026-07-28" }

const text = Arbitrary.schema(Schema.String)
const texts = Arbitrary.schema(Schema.UndefinedOr(Schema.Record(Schema.String, Schema.String)))
const maybeText = Arbitrary.schema(Schema.UndefinedOr(Schema.String))
const round = Arbitrary.schema(
  Schema.Struct({
    inputResponses: Schema.optionalKey(InputResponses),
    requestState: Schema.optionalKey(Schema.String)
  })
)
const of = <A>(schema: Schema.Codec<A>) => Arbitrary.schema(schema)

/** A request of each method with generated parameters, as its constructor builds it. */
const built: Arbitrary.Arbitrary<ReadonlyArray<ClientRequest>> = Arbitrary.map(
  Arbitrary.all([
    text,
    texts,
    maybeText,
    round,
    Arbitrary.schema(Schema.UndefinedOr(Schema.JsonObject)),
    of(CompletionReference),
    of(CompletionArgument),
    of(InitializeRequest),
    of(LogLevel),
    of(SubscriptionFilter)
  ]),
  ([name, args, cursor, again, json, ref, argument, hello, level, filter]) => [
    ClientRequest.discover(),
    ClientRequest.initialize(hello),
    ClientRequest.ping(),
    ClientRequest.listTools(cursor),
    ClientRequest.callTool(name, json, again),
    ClientRequest.listResources(cursor),
    ClientRequest.listTemplates(cursor),
    ClientRequest.readResource(name, again),
    ClientRequest.subscribe(name),
    ClientRequest.unsubscribe(name),
    ClientRequest.listPrompts(cursor),
    ClientRequest.getPrompt(name, args, again),
    ClientRequest.complete(ref, argument, args),
    ClientRequest.setLogLevel(level),
    ClientRequest.listen(filter),
    ClientRequest.getTask(name),
    ClientRequest.updateTask(name, again.inputResponses ?? {}),
    ClientRequest.cancelTask(name)
  ]
)

describe("ClientRequest", () => {
  it.prop("what is built is read back as it was, for every method", [built], ([requests]) => {
    assert.sameMembers(
      requests.map((request) => request.method),
      methods
    )
    for (const request of requests)
      inverts<ClientRequest>({
        encode: ({ params }) => params,
        decode: (params) => ClientRequest.decode(request.method, params)
      })(request)
  })

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

  it.prop("META-15 members and _meta keys that it does not know are kept", [built, jsonObject], ([requests, more]) => {
    for (const { method: one, params } of requests)
      keepsAll((given) => Result.map(ClientRequest.decode(one, given), (request) => request.params))({
        ...params,
        _meta: more,
        "x.example/later": more
      })
  })

  it.prop(
    "META-01 the message of a request decodes to the same request with its envelope",
    [requestId, built],
    ([id, requests]) => {
      for (const request of requests) {
        const message = ClientRequest.toMessage(id, request, native)
        const read = Result.getOrThrow(Message.decode(JSON.parse(Message.print(message))))
        assert.deepStrictEqual<unknown>(JSON.parse(JSON.stringify(read)), JSON.parse(JSON.stringify(message)))
        const own = "_meta" in request.params ? request.params._meta : {}
        assert.deepStrictEqual<unknown>(message.params, {
          ...request.params,
          _meta: { ...own, ...requestMeta(native) }
        })
      }
    }
  )

  it("INIT-01 a message of the compat era has no envelope", () => {
    assert.deepStrictEqual<unknown>(
      [
        Message.encode(ClientRequest.toMessage(1, ClientRequest.ping())),
        Message.encode(ClientRequest.toMessage(2, ClientRequest.subscribe("file:///a")))
      ],
      [
        { jsonrpc: "2.0", id: 1, method: "ping", params: {} },
        { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri: "file:///a" } }
      ]
    )
  })

  it("MRTR-11 MRTR-13 a retry repeats the parameters with answers and state, and a first attempt has neither", () => {
    const again = { inputResponses: { name: { action: "accept", content: { name: "Ada" } } }, requestState: "é\n=?" }
    assert.deepStrictEqual<unknown>(ClientRequest.callTool("t", { a: 1 }, again as InputRound).params, {
      name: "t",
      arguments: { a: 1 },
      ...again
    })
    assert.deepStrictEqual<unknown>(ClientRequest.readResource("a:b").params, { uri: "a:b" })
    assert.deepStrictEqual<unknown>(ClientRequest.getPrompt("p", { a: "b" }).params, {
      name: "p",
      arguments: { a: "b" }
    })
  })

  it.each([
    ["MRTR-09", "tools/call", { name: "t", inputResponses: { k: { action: "maybe" } } }, "inputResponses.k"],
    ["MRTR-09", "prompts/get", { name: "p", inputResponses: [] }, "inputResponses"],
    ["MRTR-13", "resources/read", { uri: "a:b", requestState: 1 }, "requestState"],
    ["PROMPT-02", "prompts/get", { name: "p", arguments: { n: 1 } }, "arguments.n"],
    ["COMP-02", "completion/complete", { ref: { type: "ref/tool" }, argument: { name: "a", value: "" } }, "ref"],
    ["LOG-05", "logging/setLevel", { level: "loud" }, "level"],
    ["SUB-01", "subscriptions/listen", { notifications: { toolsListChanged: 1 } }, "notifications.toolsListChanged"],
    [
      "SUB-01",
      "subscriptions/listen",
      { notifications: { resourceSubscriptions: "a:b" } },
      "notifications.resourceSubscriptions"
    ],
    ["INIT-01", "initialize", { protocolVersion: "2025-11-25", capabilities: {} }, "clientInfo"],
    ["CSUB-01", "resources/subscribe", {}, "uri"],
    ["TASK-08", "tasks/get", {}, "taskId"],
    ["TASK-10", "tasks/update", { taskId: "t" }, "inputResponses"],
    ["TASK-10", "tasks/update", { taskId: "t", inputResponses: { k: { action: "maybe" } } }, "inputResponses.k"],
    ["TASK-12", "tasks/cancel", { taskId: 1 }, "taskId"],
    ["TASK-15", "subscriptions/listen", { notifications: { taskIds: "t" } }, "notifications.taskIds"]
  ])("%s %s refuses what does not fit and names the member", (_, one, params, path) => {
    const decoded = ClientRequest.decode(one, params)
    assert.isTrue(Result.isFailure(decoded))
    if (Result.isFailure(decoded)) {
      assert.strictEqual(decoded.failure._tag, "InvalidParams")
      assert.include(decoded.failure.message, `Invalid params of ${one}: ${path}`)
    }
  })

  it("ROOT-01 CTASK members of older revisions are read and kept", () => {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: { roots: { listChanged: true }, tasks: { cancel: {} }, elicitation: {} },
      clientInfo: { name: "c", version: "1" }
    }
    assert.deepStrictEqual<unknown>(
      ClientRequest.decode("initialize", params),
      Result.succeed({ method: "initialize", params })
    )
    const task = { name: "t", task: { ttl: 1 } }
    assert.deepStrictEqual<unknown>(
      ClientRequest.decode("tools/call", task),
      Result.succeed({ method: "tools/call", params: task })
    )
  })

  it.each([
    "",
    "tools",
    "Tools/call",
    "tools/call ",
    "__proto__",
    "constructor",
    "toString",
    "elicitation/create",
    "tasks/list"
  ])("ERR-01 %s is an unknown method", (name) => {
    assert.deepStrictEqual(
      ClientRequest.decode(name, {}),
      Result.fail(RpcError.methodNotFound(`Unknown method ${JSON.stringify(name)}`))
    )
  })

  it("ERR-03 the error for params that do not fit names every problem with its path", () => {
    assert.deepStrictEqual(
      ClientRequest.decode("tools/call", { arguments: [], _meta: 1 }),
      Result.fail(
        RpcError.invalidParams(
          "Invalid params of tools/call: name: is missing; arguments: Expected object; _meta: Expected object"
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

  it("BASE-22 every request that MCP has a client send is typed", () => {
    const sent = methodNames.filter((name) => {
      const row = methodRow(name)
      return row?.kind === "request" && row.from !== "server"
    })
    assert.sameMembers([...methods], sent)
  })
})

/**
 * What only the compat era has, by the schema of 2025-11-25: what we build is valid by it, and what is valid by it is
 * read and kept. The schema lies beside the repository; where it is absent the file is skipped.
 */
import { assert, describe, it } from "@effect/vitest"
import { Message } from "@treadle/protocol/rpc"
import {
  ClientRequest,
  KnownNotification,
  ServerRequest,
  ServerResult,
  type ClientMethod,
  type ServerMethod
} from "@treadle/protocol/schema"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import * as Result from "effect/Result"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const home = fileURLToPath(new URL("../../../../shared/spec/2025-11-25/schema.json", import.meta.url))
const present = existsSync(home)

const validate = (() => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat("byte", true)
  ajv.addFormat("uri-template", true)
  ajv.addSchema(present ? JSON.parse(readFileSync(home, "utf8")) : {}, "mcp")
  return (definition: string, value: unknown) => {
    const valid = ajv.validate({ $ref: `mcp#/$defs/${definition}` }, value)
    assert.isTrue(valid, ajv.errorsText())
  }
})()

const peer = { name: "peer", version: "1.2.3", title: "Peer", icons: [{ src: "https://a.example/i.png" }] }
const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {
    roots: { listChanged: true },
    sampling: { tools: {}, context: {} },
    elicitation: { form: {}, url: {} },
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } }
  },
  clientInfo: peer
}

const requests: ReadonlyArray<readonly [string, ClientRequest]> = [
  ["InitializeRequest", ClientRequest.initialize(hello)],
  ["PingRequest", ClientRequest.ping()],
  ["ListToolsRequest", ClientRequest.listTools()],
  ["CallToolRequest", ClientRequest.callTool("t", { a: 1 })],
  ["ListResourcesRequest", ClientRequest.listResources("")],
  ["ListResourceTemplatesRequest", ClientRequest.listTemplates("c")],
  ["ReadResourceRequest", ClientRequest.readResource("file:///a")],
  ["SubscribeRequest", ClientRequest.subscribe("file:///a")],
  ["UnsubscribeRequest", ClientRequest.unsubscribe("file:///a")],
  ["ListPromptsRequest", ClientRequest.listPrompts()],
  ["GetPromptRequest", ClientRequest.getPrompt("p", { topic: "x" })],
  [
    "CompleteRequest",
    ClientRequest.complete({ type: "ref/prompt", name: "p" }, { name: "topic", value: "x" }, { a: "b" })
  ],
  ["CompleteRequest", ClientRequest.complete({ type: "ref/resource", uri: "a://{b}" }, { name: "b", value: "" })],
  ["SetLevelRequest", ClientRequest.setLogLevel("warning")]
]

const questions: ReadonlyArray<readonly [string, ServerRequest]> = [
  ["PingRequest", ServerRequest.ping()],
  [
    "ElicitRequest",
    ServerRequest.elicit({
      message: "Who are you?",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string", minLength: 1 },
          size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"], default: "s" },
          days: { type: "array", items: { anyOf: [{ const: "mon", title: "Monday" }] }, maxItems: 1 }
        },
        required: ["name"]
      }
    })
  ],
  [
    "ElicitRequest",
    ServerRequest.elicit({ mode: "url", message: "Sign in", url: "https://a.example/in", elicitationId: "e1" })
  ],
  [
    "CreateMessageRequest",
    ServerRequest.createMessage({
      messages: [
        { role: "user", content: { type: "text", text: "2 + 2?" } },
        { role: "assistant", content: [{ type: "tool_use", id: "1", name: "add", input: { a: 2, b: 2 } }] },
        { role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [{ type: "text", text: "4" }] }] }
      ],
      maxTokens: 100,
      modelPreferences: { hints: [{ name: "small" }], costPriority: 1 },
      includeContext: "none",
      tools: [{ name: "add", inputSchema: { type: "object" } }],
      toolChoice: { mode: "auto" }
    })
  ],
  ["ListRootsRequest", ServerRequest.listRoots()]
]

const results: ReadonlyArray<readonly [string, ClientMethod, unknown]> = [
  [
    "InitializeResult",
    "initialize",
    {
      protocolVersion: "2025-11-25",
      capabilities: { logging: {}, completions: {}, resources: { subscribe: true }, tasks: { list: {} } },
      serverInfo: peer,
      instructions: "Ask."
    }
  ],
  ["EmptyResult", "ping", {}],
  ["EmptyResult", "resources/subscribe", { _meta: { a: 1 } }],
  ["EmptyResult", "resources/unsubscribe", {}],
  ["EmptyResult", "logging/setLevel", {}],
  [
    "ListToolsResult",
    "tools/list",
    { tools: [{ name: "t", inputSchema: { type: "object" }, execution: { taskSupport: "optional" } }] }
  ],
  ["ListResourcesResult", "resources/list", { resources: [{ uri: "file:///a", name: "a", size: 3 }], nextCursor: "" }],
  [
    "ListResourceTemplatesResult",
    "resources/templates/list",
    { resourceTemplates: [{ uriTemplate: "file:///{+path}", name: "files", annotations: { audience: ["user"] } }] }
  ],
  ["ReadResourceResult", "resources/read", { contents: [{ uri: "file:///a", blob: "AAA=", mimeType: "image/png" }] }],
  ["ListPromptsResult", "prompts/list", { prompts: [{ name: "p", arguments: [{ name: "a", required: true }] }] }],
  [
    "GetPromptResult",
    "prompts/get",
    { messages: [{ role: "assistant", content: { type: "audio", data: "AAA=", mimeType: "audio/wav" } }] }
  ],
  ["CompleteResult", "completion/complete", { completion: { values: ["x"], total: 2, hasMore: true } }]
]

const answers: ReadonlyArray<readonly [string, ServerMethod, unknown]> = [
  ["EmptyResult", "ping", {}],
  ["ElicitResult", "elicitation/create", { action: "accept", content: { name: "Ada", days: ["mon"], seats: 2 } }],
  ["ElicitResult", "elicitation/create", { action: "cancel", _meta: { a: 1 } }],
  [
    "CreateMessageResult",
    "sampling/createMessage",
    { role: "assistant", content: { type: "text", text: "4" }, model: "m", stopReason: "endTurn" }
  ],
  ["ListRootsResult", "roots/list", { roots: [{ uri: "file:///home", name: "home" }] }]
]

const notifications = [
  ["InitializedNotification", "notifications/initialized", {}],
  ["RootsListChangedNotification", "notifications/roots/list_changed", {}],
  ["ResourceUpdatedNotification", "notifications/resources/updated", { uri: "file:///a" }],
  ["ElicitationCompleteNotification", "notifications/elicitation/complete", { elicitationId: "e1" }],
  ["LoggingMessageNotification", "notifications/message", { level: "info", data: { a: 1 } }]
] as const

describe.skipIf(!present)("The compat era, by the schema of 2025-11-25", () => {
  it.each(requests)("WIRE a client's %s is valid, and read as it was", (definition, request) => {
    const message = ClientRequest.toMessage(1, request)
    validate(definition, Message.encode(message))
    assert.deepStrictEqual(ClientRequest.decode(message.method, message.params), Result.succeed(request))
  })

  it.each(questions)("WIRE a server's %s is valid, and read as it was", (definition, request) => {
    const message = ServerRequest.toMessage("q", request)
    validate(definition, Message.encode(message))
    assert.deepStrictEqual(ServerRequest.decode(message.method, message.params), Result.succeed(request))
  })

  it.each(results)("WIRE a server's %s to %s is read as it came", (definition, method, result) => {
    validate(definition, result)
    assert.deepStrictEqual<unknown>(ServerResult.decode(method, result), Result.succeed(result))
    assert.deepStrictEqual<unknown>(
      ServerResult.decodeRound(method, result),
      Result.succeed({ _tag: "Complete", result })
    )
  })

  it.each(answers)("WIRE a client's %s to %s is read as it came", (definition, method, answer) => {
    validate(definition, answer)
    assert.deepStrictEqual<unknown>(ServerRequest.decodeAnswer(method, answer), Result.succeed(answer))
  })

  it.each(notifications)("WIRE a %s is valid, and read as it was", (definition, method, params) => {
    const message = Message.notification(method, params)
    validate(definition, Message.encode(message))
    const known = KnownNotification.decode(message)
    assert.deepStrictEqual<unknown>(known, Result.succeed({ method, params }))
  })
})

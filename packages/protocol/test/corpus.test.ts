/**
 * The example messages of the specification decode with our codecs, are written again as they were read, and stay valid
 * by its schema. The specification lies beside the repository; where it is absent the file is skipped, because the
 * examples are not ours to copy.
 */
import { assert, describe, it } from "@effect/vitest"
import { isRecord, own, wireDecoder, type WireSchema } from "@treadle/protocol/json"
import { Message, RpcError } from "@treadle/protocol/rpc"
import * as Protocol from "@treadle/protocol/schema"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const { ClientRequest, KnownNotification, ServerRequest, ServerResult } = Protocol
const home = fileURLToPath(new URL("../../../../shared/spec/2026-07-28/", import.meta.url))
const present = existsSync(home)

/** Reads an example and writes it again; fails with a reason. */
type Codec = (example: unknown) => Result.Result<unknown, unknown>

const payload =
  (schema: unknown): Codec =>
  (example) =>
    wireDecoder(schema as WireSchema<unknown>)(example)

const message =
  (inner: (message: Message) => Result.Result<unknown, unknown>): Codec =>
  (example) => {
    const read = Result.mapError(Message.decode(example), ({ error }) => error.message)
    if (Result.isFailure(read)) return read
    return Result.map(inner(read.success), () => Message.encode(read.success))
  }

const wrongKind = (one: Message) => Result.fail(`is a ${one._tag}`)

const request = (method: string): Codec =>
  message((one) =>
    one._tag === "Request" && one.method === method ? ClientRequest.decode(method, one.params) : wrongKind(one)
  )

const notification = (method: string): Codec =>
  message((one) => {
    const known = one._tag === "Notification" && one.method === method ? KnownNotification.decode(one) : undefined
    return known ?? wrongKind(one)
  })

const response = (method: Protocol.ClientMethod): Codec =>
  message((one) => (one._tag === "Result" ? ServerResult.decodeRound(method, one.result) : wrongKind(one)))

const params =
  (method: string): Codec =>
  (example) =>
    Result.map(ClientRequest.decode(method, example), (decoded) => decoded.params)

const errorResponse = (tag: RpcError["_tag"]): Codec =>
  message((one) => (one._tag === "Error" && one.error._tag === tag ? Result.succeed(one) : wrongKind(one)))

const error =
  (tag: RpcError["_tag"]): Codec =>
  (example) =>
    Result.flatMap(RpcError.decode(example), (one) =>
      one._tag === tag ? Result.succeed(RpcError.encode(one)) : Result.fail(`is ${one._tag}`)
    )

const result =
  (method: Protocol.ClientMethod): Codec =>
  (example) =>
    ServerResult.decode(method, example)

/** A question as it travels in an `input_required` result, and as a request of the compat era. */
const question =
  (method: Protocol.ServerMethod): Codec =>
  (example) =>
    Result.flatMap(payload(Protocol.InputRequest)(example), () =>
      Result.map(ServerRequest.decode(method, own(example, "params")), () => example)
    )

const answer =
  (method: Protocol.ServerMethod): Codec =>
  (example) =>
    ServerRequest.decodeAnswer(method, example)

/** The codec of a definition that is not a payload of the same name. */
const named: { readonly [definition: string]: Codec } = {
  BooleanSchema: payload(Protocol.FormField),
  CallToolRequest: request("tools/call"),
  CallToolRequestParams: params("tools/call"),
  CallToolResult: result("tools/call"),
  CallToolResultResponse: response("tools/call"),
  CancelledNotification: notification("notifications/cancelled"),
  CancelledNotificationParams: payload(Protocol.Cancelled),
  CompleteRequest: request("completion/complete"),
  CompleteRequestParams: params("completion/complete"),
  CompleteResult: result("completion/complete"),
  CompleteResultResponse: response("completion/complete"),
  CreateMessageRequest: question("sampling/createMessage"),
  CreateMessageRequestParams: payload(Protocol.CreateMessageRequest),
  CreateMessageResult: answer("sampling/createMessage"),
  DiscoverRequest: request("server/discover"),
  DiscoverResult: result("server/discover"),
  DiscoverResultResponse: response("server/discover"),
  ElicitRequest: question("elicitation/create"),
  ElicitRequestFormParams: payload(Protocol.FormRequest),
  ElicitRequestURLParams: payload(Protocol.UrlRequest),
  ElicitResult: answer("elicitation/create"),
  GetPromptRequest: request("prompts/get"),
  GetPromptRequestParams: params("prompts/get"),
  GetPromptResult: result("prompts/get"),
  GetPromptResultResponse: response("prompts/get"),
  HeaderMismatchError: errorResponse("HeaderMismatch"),
  InternalError: error("InternalError"),
  InvalidParamsError: error("InvalidParams"),
  ListPromptsRequest: request("prompts/list"),
  ListPromptsResult: result("prompts/list"),
  ListPromptsResultResponse: response("prompts/list"),
  ListResourceTemplatesRequest: request("resources/templates/list"),
  ListResourceTemplatesResult: result("resources/templates/list"),
  ListResourceTemplatesResultResponse: response("resources/templates/list"),
  ListResourcesRequest: request("resources/list"),
  ListResourcesResult: result("resources/list"),
  ListResourcesResultResponse: response("resources/list"),
  ListRootsRequest: question("roots/list"),
  ListRootsResult: answer("roots/list"),
  ListToolsRequest: request("tools/list"),
  ListToolsResult: result("tools/list"),
  ListToolsResultResponse: response("tools/list"),
  LoggingMessageNotification: notification("notifications/message"),
  LoggingMessageNotificationParams: payload(Protocol.LogMessage),
  MethodNotFoundError: error("MethodNotFound"),
  MissingRequiredClientCapabilityError: errorResponse("MissingClientCapability"),
  NumberSchema: payload(Protocol.FormField),
  PaginatedRequestParams: params("tools/list"),
  ParseError: error("ParseError"),
  ProgressNotification: notification("notifications/progress"),
  ProgressNotificationParams: payload(Protocol.Progress),
  PromptListChangedNotification: notification("notifications/prompts/list_changed"),
  ReadResourceRequest: request("resources/read"),
  ReadResourceRequestParams: params("resources/read"),
  ReadResourceResult: result("resources/read"),
  ReadResourceResultResponse: response("resources/read"),
  ResourceListChangedNotification: notification("notifications/resources/list_changed"),
  ResourceUpdatedNotification: notification("notifications/resources/updated"),
  ResourceUpdatedNotificationParams: payload(Protocol.ResourceUpdated),
  StringSchema: payload(Protocol.FormField),
  SubscriptionsAcknowledgedNotification: notification("notifications/subscriptions/acknowledged"),
  SubscriptionsListenRequest: request("subscriptions/listen"),
  SubscriptionsListenResult: result("subscriptions/listen"),
  SubscriptionsListenResultResponse: response("subscriptions/listen"),
  TitledMultiSelectEnumSchema: payload(Protocol.FormField),
  TitledSingleSelectEnumSchema: payload(Protocol.FormField),
  ToolListChangedNotification: notification("notifications/tools/list_changed"),
  UnsupportedProtocolVersionError: errorResponse("UnsupportedVersion"),
  UntitledMultiSelectEnumSchema: payload(Protocol.FormField),
  UntitledSingleSelectEnumSchema: payload(Protocol.FormField)
}

const codecOf = (definition: string): Codec | undefined => {
  if (Object.hasOwn(named, definition)) return named[definition]
  const schema = own({ ...Protocol }, definition)
  return Schema.isSchema(schema) ? payload(schema) : undefined
}

const read = (path: string): unknown => JSON.parse(readFileSync(home + path, "utf8"))
const definitions = present ? readdirSync(`${home}examples`).sort() : []
const examples = definitions.flatMap((definition) =>
  readdirSync(`${home}examples/${definition}`).map((file) => [definition, file] as const)
)

const validator = () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat("byte", true)
  ajv.addSchema(present ? Object(read("schema.json")) : {}, "mcp")
  return ajv
}

describe.skipIf(!present)("The example messages of 2026-07-28", () => {
  const ajv = validator()

  it.each(examples)("WIRE %s/%s is read, written as it was, and valid", (definition, file) => {
    const example = read(`examples/${definition}/${file}`)
    const written = codecOf(definition)?.(example)
    assert.deepStrictEqual(written, Result.succeed(example))
    const valid = ajv.validate(
      { $ref: `mcp#/$defs/${definition}` },
      written === undefined ? undefined : Result.getOrThrow(written)
    )
    assert.isTrue(valid, ajv.errorsText())
  })

  it.each(examples.filter(([definition]) => /Request$|Notification$|Response$|Error$/.test(definition)))(
    "WIRE %s/%s is refused without its version",
    (definition, file) => {
      const example = read(`examples/${definition}/${file}`)
      if (!isRecord(example) || example["jsonrpc"] === undefined) return
      const { jsonrpc: _, ...rest } = example
      assert.isTrue(Result.isFailure(codecOf(definition)?.(rest) ?? Result.succeed(0)))
    }
  )

  it("every definition that has examples has a codec", () => {
    assert.deepStrictEqual(
      definitions.filter((definition) => codecOf(definition) === undefined),
      []
    )
  })

  it("is as large as it was", () => {
    assert.isAtLeast(examples.length, 129)
  })
})

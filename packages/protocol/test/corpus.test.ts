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
import { skips } from "./corpus-skips.ts"

const { ClientRequest, KnownNotification, ServerResult } = Protocol
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

const response = (method: "server/discover" | "tools/list" | "tools/call"): Codec =>
  message((one) => (one._tag === "Result" ? ServerResult.decode(method, one.result) : wrongKind(one)))

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

/** The codec of a definition that is not a payload of the same name. */
const named: { readonly [definition: string]: Codec } = {
  CallToolRequest: request("tools/call"),
  CallToolRequestParams: params("tools/call"),
  CallToolResult: (example) => ServerResult.decode("tools/call", example),
  CallToolResultResponse: response("tools/call"),
  CancelledNotification: notification("notifications/cancelled"),
  CancelledNotificationParams: payload(Protocol.Cancelled),
  DiscoverRequest: request("server/discover"),
  DiscoverResult: (example) => ServerResult.decode("server/discover", example),
  DiscoverResultResponse: response("server/discover"),
  HeaderMismatchError: errorResponse("HeaderMismatch"),
  InternalError: error("InternalError"),
  InvalidParamsError: error("InvalidParams"),
  ListToolsRequest: request("tools/list"),
  ListToolsResult: (example) => ServerResult.decode("tools/list", example),
  ListToolsResultResponse: response("tools/list"),
  LoggingMessageNotification: notification("notifications/message"),
  LoggingMessageNotificationParams: payload(Protocol.LogMessage),
  MethodNotFoundError: error("MethodNotFound"),
  MissingRequiredClientCapabilityError: errorResponse("MissingClientCapability"),
  PaginatedRequestParams: params("tools/list"),
  ParseError: error("ParseError"),
  ProgressNotification: notification("notifications/progress"),
  ProgressNotificationParams: payload(Protocol.Progress),
  PromptListChangedNotification: notification("notifications/prompts/list_changed"),
  ResourceListChangedNotification: notification("notifications/resources/list_changed"),
  ToolListChangedNotification: notification("notifications/tools/list_changed"),
  UnsupportedProtocolVersionError: errorResponse("UnsupportedVersion")
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
const covered = examples.filter(([definition]) => codecOf(definition) !== undefined)

const validator = () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat("byte", true)
  ajv.addSchema(present ? Object(read("schema.json")) : {}, "mcp")
  return ajv
}

describe.skipIf(!present)("The example messages of 2026-07-28", () => {
  const ajv = validator()

  it.each(covered)("WIRE %s/%s is read, written as it was, and valid", (definition, file) => {
    const example = read(`examples/${definition}/${file}`)
    const written = codecOf(definition)?.(example)
    assert.deepStrictEqual(written, Result.succeed(example))
    const valid = ajv.validate(
      { $ref: `mcp#/$defs/${definition}` },
      written === undefined ? undefined : Result.getOrThrow(written)
    )
    assert.isTrue(valid, ajv.errorsText())
  })

  it.each(covered.filter(([definition]) => /Request$|Notification$|Response$|Error$/.test(definition)))(
    "WIRE %s/%s is refused without its version",
    (definition, file) => {
      const example = read(`examples/${definition}/${file}`)
      if (!isRecord(example) || example["jsonrpc"] === undefined) return
      const { jsonrpc: _, ...rest } = example
      assert.isTrue(Result.isFailure(codecOf(definition)?.(rest) ?? Result.succeed(0)))
    }
  )

  it("covers every definition that has examples, or says why not", () => {
    const open = definitions.filter(
      (definition) => codecOf(definition) === undefined && !Object.hasOwn(skips, definition)
    )
    assert.deepStrictEqual(open, [])
  })

  it("skips no definition that has a codec, and none that has no example", () => {
    const stale = Object.keys(skips).filter(
      (definition) => codecOf(definition) !== undefined || !definitions.includes(definition)
    )
    assert.deepStrictEqual(stale, [])
  })

  it("is as large as it was", () => {
    assert.isAtLeast(examples.length, 129)
    assert.isAtLeast(covered.length, 50)
  })
})

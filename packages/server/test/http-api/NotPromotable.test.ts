/**
 * Operations that cannot be tools: the build says so, of all at once, with the place and the cure.
 */
import { assert, describe, it } from "@effect/vitest"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { HttpApiTools } from "../../src/http-api/index.ts"
import { Mcp } from "../../src/index.ts"
import { describe as inWords } from "../../src/McpBuildError.ts"
import { empty } from "../fixtures/calling.ts"

const id = { id: Schema.Int }
const text = Schema.String.pipe(HttpApiSchema.asText())

const OddApi = HttpApi.make("odd").add(
  HttpApiGroup.make("odd").add(
    HttpApiEndpoint.get("stream", "/stream", { success: HttpApiSchema.StreamUint8Array() }),
    HttpApiEndpoint.get("events", "/events", { success: HttpApiSchema.StreamSse({ data: Schema.Int }) }),
    HttpApiEndpoint.get("upgrade", "/upgrade", { success: HttpApiSchema.Upgrade({ protocol: "echo" }) }),
    HttpApiEndpoint.get("text", "/text", { success: text }),
    HttpApiEndpoint.post("note", "/note", { payload: text }),
    HttpApiEndpoint.post("upload", "/upload", {
      payload: Schema.Struct({ file: Schema.String }).pipe(HttpApiSchema.asMultipart())
    }),
    HttpApiEndpoint.post("form", "/form", { payload: { name: Schema.String } as never }),
    HttpApiEndpoint.get("bare", "/bare", { error: Schema.String }),
    HttpApiEndpoint.put("twice", "/twice/:id", {
      params: id,
      query: { name: Schema.String },
      payload: Schema.Struct({ ...id, name: Schema.String })
    }),
    HttpApiEndpoint.get("record", "/record", { query: Schema.Record(Schema.String, Schema.String) }),
    HttpApiEndpoint.get("plain", "/plain/:id", {
      params: id,
      headers: { "x-tenant": Schema.String },
      success: Schema.String
    })
  )
)

const said = (tools: Parameters<typeof HttpApiTools.make<typeof OddApi, any>>[1]) =>
  Mcp.check(empty().add(HttpApiTools.make(OddApi, tools).mcp)).map(inWords)

const described = (operation: string) => ({ operation, description: "Tested" }) as never

describe("what cannot be a tool", () => {
  it("is an error of the build, each operation with its reasons, at the place of the call (D1)", () => {
    const names = ["stream", "events", "upgrade", "text", "note", "upload", "form", "bare", "record"]
    const problems = said(Object.fromEntries(names.map((name) => [`a_${name}`, described(`odd.${name}`)])))
    const place = /NotPromotable\.test\.ts:\d+/
    for (const problem of problems) assert.match(problem, place)
    const cure = "A tool takes and gives JSON: promote another operation."
    assert.deepStrictEqual(
      problems.map((problem) => problem.replace(place, "here")),
      [
        `tool "a_stream" (here): it answers with a stream of application/octet-stream. ${cure}`,
        `tool "a_events" (here): it answers with a stream of text/event-stream. ${cure}`,
        `tool "a_upgrade" (here): it upgrades the connection to echo. ${cure}`,
        `tool "a_text" (here): it answers with text/plain. ${cure}`,
        `tool "a_note" (here): its body is text/plain. ${cure}`,
        `tool "a_upload" (here): its body is multipart/form-data. ${cure}`,
        `tool "a_form" (here): its body is application/x-www-form-urlencoded. ${cure}`,
        'tool "a_bare" (here): it declares an error that is no object ({"type":"string"}). Declare an error class in its place.',
        'tool "a_record" (here): its query is no struct. Describe its query as fields.'
      ]
    )
  })

  it("is two arguments of one name, until the payload is one argument", () => {
    const problems = said({ rename: described("odd.twice") })
    assert.deepStrictEqual(
      problems.map((problem) => problem.replace(/\(.*?\)/, "(here)")),
      [
        'tool "rename" (here): "id" would be one argument for 2 things: a path parameter and a field of the payload. Rename all but one, or say nestPayload: true.',
        'tool "rename" (here): "name" would be one argument for 2 things: a query parameter and a field of the payload. Rename all but one, or say nestPayload: true.'
      ]
    )
    const tools = HttpApiTools.make(OddApi, {
      rename: { operation: "odd.twice", description: "Renames", nestPayload: true }
    })
    assert.deepStrictEqual(Mcp.check(tools.mcp), [])
    assert.deepStrictEqual(Object.keys(tools.contract.rename.shape.inputSchema["properties"] ?? {}), [
      "id",
      "name",
      "payload"
    ])
  })

  it("is an operation or a header that is not there, in plain JavaScript", () => {
    const problems = said({
      gone: described("odd.gone"),
      none: undefined as never,
      plain: { ...(described("odd.plain") as object), headers: ["x-user"] } as never
    })
    assert.strictEqual(problems.length, 3)
    assert.match(problems[0] ?? "", /"odd\.gone" is no operation of the api\. It has "odd\.stream", /)
    assert.match(problems[1] ?? "", /tool "none" .*undefined is no operation of the api/)
    assert.match(problems[2] ?? "", /its headers do not include "x-user"\. Choose from "x-tenant"\./)
  })

  it("is one with a setting that there is not, or that says neither yes nor no, in plain JavaScript", () => {
    const problems = said({
      plain: { ...(described("odd.plain") as object), desription: "Tested", tool: "no", x: 1 } as never
    })
    assert.deepStrictEqual(
      problems.map((problem) => problem.replace(/\(.*?\)/, "(here)")),
      [
        'tool "plain" (here): "desription" says nothing of an operation. Write description.',
        'tool "plain" (here): "x" says nothing of an operation. It may have operation, tool, description, title, hints, icons, meta, scopes, timeout, task, headers, nestPayload.',
        'tool "plain" (here): tool is "no". Write true or false.'
      ]
    )
  })

  it("is one without a description, because a model chooses by it", () => {
    assert.deepStrictEqual(
      said({ plain: "odd.plain" }).map((problem) => problem.replace(/\(.*?\)/, "(here)")),
      ['tool "plain" (here): it has no description; a model chooses a tool by it.']
    )
  })

  it("is a name that is taken or that no tool may have", () => {
    const tools = HttpApiTools.make(OddApi, { "no name": described("odd.plain"), plain: described("odd.plain") })
    const problems = Mcp.check(
      empty()
        .tool("plain", { description: "Tested" }, async () => "")
        .add(tools.mcp)
    )
    assert.deepStrictEqual(
      problems.map(({ _tag }) => _tag),
      ["InvalidToolName", "DuplicateTool"]
    )
  })
})

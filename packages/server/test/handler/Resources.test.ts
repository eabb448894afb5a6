/**
 * Resources: listed, read, refused, unavailable, and what keeps them from being served.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentCall, Mcp, McpBuildErrors, ResourceUnavailable, ToolFailed, type ReadBody } from "../../src/index.ts"
import { McpHttp } from "../../src/http.ts"
import { rawRequest, rawVersion } from "@treadle/testing"
import { empty } from "../fixtures/calling.ts"
import { bare, bothEras } from "../fixtures/eras.ts"

class Board extends Context.Service<Board, { readonly text: string }>()("Board") {}

const uri = "box-office://board"
const board = { uri, name: "board", mimeType: "text/markdown" }
const bytes = Uint8Array.of(0, 255, 128)

/** A server with one resource that reads as this. */
const reading = (body: ReadBody) => empty().resource(board, async () => body)

describe("a resource", () => {
  it.effect("RES-01 D8: is advertised where there is one, and none of its methods exists elsewhere (B039)", () =>
    Effect.gen(function* () {
      const one = yield* bothEras(reading("x"), {})
      const [native] = yield* one.both("server/discover")
      assert.deepStrictEqual(native["result"].capabilities.resources !== undefined, true)
      const none = yield* bothEras(
        empty().tool("t", { description: "Tested" }, async () => ""),
        {}
      )
      for (const method of ["resources/list", "resources/templates/list", "resources/read"]) {
        const answers = yield* none.both(method, { uri })
        assert.deepStrictEqual(
          answers.map((answer) => answer["error"].code),
          [-32601, -32601],
          method
        )
      }
    })
  )

  it.effect("RES-03 RES-12: is listed with all that was said of it, in the order of definition", () =>
    Effect.gen(function* () {
      const full = {
        uri: "https://box.example/poster.png",
        name: "poster",
        title: "The poster",
        description: "This month's poster",
        mimeType: "image/png",
        icons: [{ src: "https://box.example/icon.png" }],
        annotations: { audience: ["user" as const], priority: 0.5, lastModified: "2026-07-28T00:00:00Z" },
        size: 3
      }
      const mcp = reading("x").resource({ ...full, meta: { "com.example/wall": 1 } }, async () => bytes)
      const { both } = yield* bothEras(mcp, {})
      const [native, compat] = yield* both("resources/list")
      const resources = [board, { ...full, _meta: { "com.example/wall": 1 } }]
      assert.deepStrictEqual(bare(native), { resources, ttlMs: 300_000, cacheScope: "public" })
      assert.deepStrictEqual(compat["result"], { resources })
      const templates = yield* both("resources/templates/list")
      assert.deepStrictEqual(
        templates.map((answer) => answer["result"].resourceTemplates),
        [[], []]
      )
    })
  )

  const bodies: ReadonlyArray<readonly [string, ReadBody, ReadonlyArray<object>]> = [
    ["text", "# Tonight", [{ uri, mimeType: "text/markdown", text: "# Tonight" }]],
    ["empty text", "", [{ uri, mimeType: "text/markdown", text: "" }]],
    ["bytes", bytes, [{ uri, mimeType: "text/markdown", blob: "AP+A" }]],
    ["one item of its own", { uri: `${uri}/1`, text: "a" }, [{ uri: `${uri}/1`, text: "a" }]],
    [
      "several items, their bytes in either form",
      [
        { uri: `${uri}/1`, text: "a", _meta: { "com.example/row": 1 } },
        { uri: `${uri}/2`, mimeType: "image/png", blob: bytes },
        { uri: `${uri}/3`, blob: "AAAA" }
      ],
      [
        { uri: `${uri}/1`, text: "a", _meta: { "com.example/row": 1 } },
        { uri: `${uri}/2`, mimeType: "image/png", blob: "AP+A" },
        { uri: `${uri}/3`, blob: "AAAA" }
      ]
    ],
    ["nothing in it, which is not the same as not being there", [], []]
  ]

  it.effect.each(bodies)("RES-03 RES-06: is read as %s", ([, body, contents]) =>
    Effect.gen(function* () {
      const { both } = yield* bothEras(reading(body), {})
      const [native, compat] = yield* both("resources/read", { uri })
      assert.deepStrictEqual(bare(native), { contents, ttlMs: 0, cacheScope: "private" })
      assert.deepStrictEqual(compat["result"], { contents })
    })
  )

  it.effect("RES-04 RES-05: that is not there is -32602 with its URI natively and -32002 in compat, never empty", () =>
    Effect.gen(function* () {
      const { both } = yield* bothEras(reading(undefined), {})
      for (const asked of ["box-office://other", uri, "", "%", "a b", "{uri}", "box-office://board{x}"]) {
        const answers = yield* both("resources/read", { uri: asked })
        assert.deepStrictEqual(
          answers.map(({ error }) => [error.code, error.data]),
          [
            [-32602, { uri: asked }],
            [-32002, { uri: asked }]
          ]
        )
      }
    })
  )

  it.effect("RES-04: asked for without a URI is -32602", () =>
    Effect.gen(function* () {
      const { both } = yield* bothEras(reading("x"), {})
      for (const params of [{}, { uri: 1 }, { uri: null }]) {
        const answers = yield* both("resources/read", params)
        assert.deepStrictEqual(
          answers.map(({ error }) => error.code),
          [-32602, -32602]
        )
      }
    })
  )

  it.effect("RES-10 B076: is found by every spelling of its URI, and read under the one that was asked for", () =>
    Effect.gen(function* () {
      const { native } = yield* bothEras(
        empty().resource({ uri: "file:///日本.txt", name: "note" }, async () => "x"),
        {}
      )
      for (const asked of ["file:///日本.txt", "file:///%E6%97%A5%E6%9C%AC.txt", "file:///%e6%97%a5%e6%9c%ac%2etxt"]) {
        const answer = yield* native()("resources/read", { uri: asked })
        assert.deepStrictEqual(answer["result"].contents, [{ uri: asked, text: "x" }])
      }
      assert.strictEqual((yield* native()("resources/read", { uri: "file:///日本%2Ftxt" }))["error"].code, -32602)
    })
  )

  it("HDR-04 B076: is read over HTTP where Mcp-Name is its URI, encoded where that is not ASCII", async () => {
    const fetch = McpHttp.fetch(empty().resource({ uri: "file:///日本.txt", name: "note" }, async () => "x"))
    const read = (name: string) =>
      fetch(
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json",
            "mcp-protocol-version": rawVersion,
            "mcp-method": "resources/read",
            "mcp-name": name
          },
          body: JSON.stringify(rawRequest(1, "resources/read", { uri: "file:///日本.txt" }))
        })
      )
    const encoded = Buffer.from("file:///日本.txt").toString("base64")
    const right = await read(`=?base64?${encoded}?=`)
    assert.deepStrictEqual([right.status, (await right.json()).result.contents[0].text], [200, "x"])
    const wrong = await read("file:///other.txt")
    assert.deepStrictEqual([wrong.status, (await wrong.json()).error.code], [400, -32020])
    await fetch.close()
  })
})

describe("reading a resource", () => {
  const unavailable = new ResourceUnavailable("The board is being painted")
  const mcp = empty()
    .resource({ ...board, uri: "x://failed" }, () => Effect.fail(unavailable))
    .resource({ ...board, uri: "x://thrown" }, async () => {
      throw unavailable
    })
    .resource({ ...board, uri: "x://said" }, async ({ fail }) => fail("The board is being painted"))
    .resource({ ...board, uri: "x://tool-failed" }, () => Effect.fail(new ToolFailed("The board is being painted")))
    .resource({ ...board, uri: "x://fine" }, async () => "fine")

  it.effect("RES-04: that cannot be done now is -32603 with the reason for that request, and the server goes on", () =>
    Effect.gen(function* () {
      const { both } = yield* bothEras(mcp, {}, { onDefect: () => assert.fail("it is no defect") })
      for (const asked of ["x://failed", "x://thrown", "x://said", "x://tool-failed"]) {
        for (const { error } of yield* both("resources/read", { uri: asked })) {
          assert.strictEqual(error.code, -32603)
          assert.deepStrictEqual(error.data, { uri: asked, reason: "The board is being painted" })
          assert.include(error.message, "The board is being painted")
        }
      }
      const fine = yield* both("resources/read", { uri: "x://fine" })
      assert.deepStrictEqual(
        fine.map(({ result }) => result.contents[0].text),
        ["fine", "fine"]
      )
    })
  )

  const strange = (body: unknown) => body as ReadBody
  const broken = empty()
    .resource({ ...board, uri: "x://throws" }, async () => {
      throw new Error("secret")
    })
    .resource({ ...board, uri: "x://dies" }, () => Effect.die(new Error("secret")))
    .resource({ ...board, uri: "x://object" }, async () => strange({ secret: 1 }))
    .resource({ ...board, uri: "x://both" }, async () => strange({ uri, text: "", blob: "" }))
    .resource({ ...board, uri: "x://list" }, async () => strange([{ uri, text: 1 }]))
    .resource({ ...board, uri: "x://bigint" }, async () => strange({ uri, text: "", _meta: { n: 1n } }))

  it.effect("D5: that dies is -32603 with a reference, whose detail only the author sees", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const told = new Map<string, string>()
      const onDefect = (error: unknown, place: { readonly tool: string; readonly reference: string }) => {
        seen.push(`${place.tool} ${place.reference}`)
        told.set(place.tool, String(error))
      }
      const { native } = yield* bothEras(broken, {}, { onDefect })
      for (const asked of ["throws", "dies", "object", "both", "list", "bigint"].map((name) => `x://${name}`)) {
        const { error } = yield* native()("resources/read", { uri: asked })
        assert.strictEqual(error.code, -32603, asked)
        const reference = /^Internal error \(reference ([0-9a-f]{8})\)$/.exec(error.message)?.[1]
        assert.strictEqual(seen.pop(), `${asked} ${reference}`)
        assert.notInclude(JSON.stringify(error), "secret")
      }
      assert.match(
        told.get("x://object") ?? "",
        /^TypeError: Reading x:\/\/object gave no contents: .+\. Return a string, bytes, or \{ uri, text \}$/
      )
    })
  )

  it.effect("runs with its services, the call and a scope of its own", () =>
    Effect.gen(function* () {
      const closed: Array<string> = []
      const read = Effect.gen(function* () {
        yield* Effect.addFinalizer(() => Effect.sync(() => closed.push("closed")))
        yield* CurrentCall.log("info", "reading")
        return `${(yield* Board).text} ${JSON.stringify((yield* CurrentCall.meta)["com.example/x"])}`
      })
      const provided = empty()
        .resource(board, () => read)
        .provide(Layer.succeed(Board, { text: "Tonight" }))
      const { native } = yield* bothEras(provided, {})
      const answer = yield* native()("resources/read", { uri })
      assert.strictEqual(answer["result"].contents[0].text, "Tonight undefined")
      assert.deepStrictEqual(closed, ["closed"])
    })
  )
})

describe("a resource for some callers", () => {
  const mcp = empty<{ readonly admin: boolean }>()
    .resource({ ...board, uri: "x://all" }, async ({ context }) => String(context.admin))
    .resource(
      {
        ...board,
        uri: "x://admin",
        visible: ({ admin }) => admin,
        cache: { ttlMs: 5, cacheScope: "public" }
      },
      async () => "secret"
    )

  it.effect("RES-02 RES-08 CACHE-11 D15: is listed and read for them only, and both answers are private", () =>
    Effect.gen(function* () {
      const { native } = yield* bothEras(mcp, { admin: false })
      const list = bare(yield* native({ admin: false })("resources/list"))
      assert.deepStrictEqual(
        [list["resources"].map((one: { uri: string }) => one.uri), list["cacheScope"]],
        [["x://all"], "private"]
      )
      const hidden = yield* native({ admin: false })("resources/read", { uri: "x://admin" })
      const absent = yield* native({ admin: false })("resources/read", { uri: "x://admim" })
      assert.deepStrictEqual(hidden["error"], JSON.parse(JSON.stringify(absent["error"]).replaceAll("admim", "admin")))
      const shown = bare(yield* native({ admin: true })("resources/read", { uri: "x://admin" }))
      assert.deepStrictEqual([shown["ttlMs"], shown["cacheScope"], shown["contents"].length], [5, "private", 1])
    })
  )
})

describe("cache hints", () => {
  it.effect("CACHE-01 D15: are those of the settings, for each list, for discover and for each resource", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make({
        name: "suite",
        version: "1.0.0",
        cache: {
          discover: { ttlMs: 1 },
          tools: { ttlMs: 2 },
          resources: { ttlMs: 3, cacheScope: "private" },
          templates: { cacheScope: "private" },
          prompts: { ttlMs: 0 }
        }
      })
        .tool("t", { description: "Tested" }, async () => "")
        .prompt("p", { description: "Tested" }, async () => "")
        .resource({ ...board, cache: { ttlMs: 9, cacheScope: "public" } }, async () => "")
      const { native } = yield* bothEras(mcp, {})
      const hints: Array<unknown> = []
      for (const [method, params] of [
        ["server/discover"],
        ["tools/list"],
        ["resources/list"],
        ["resources/templates/list"],
        ["prompts/list"],
        ["resources/read", { uri }]
      ] as const) {
        const { cacheScope, ttlMs } = (yield* native()(method, params))["result"]
        hints.push([ttlMs, cacheScope])
      }
      assert.deepStrictEqual(hints, [
        [1, "public"],
        [2, "public"],
        [3, "private"],
        [300_000, "private"],
        [0, "public"],
        [9, "public"]
      ])
    })
  )
})

describe("resources that cannot be served", () => {
  it("D1: are said all at once, with their places and the cure", () => {
    const strange = (value: unknown) => value as never
    const built = Mcp.make({ name: "box", version: "1", cache: { tools: { ttlMs: -1 } } })
      .resource({ ...board, uri: "board" }, async () => "")
      .resource({ ...board, uri: "x://a b" }, async () => "")
      .resource({ ...board, uri: "x://100%" }, async () => "")
      .resource({ ...board, uri: "x://{id}" }, async () => "")
      .resource({ ...board, uri: "x://é" }, async () => "")
      .resource({ ...board, uri: "x://%C3%A9" }, async () => "")
      .resource({ ...board, uri: "x://y", cache: { ttlMs: 0.5, cacheScope: strange("all") } }, async () => "")
      .resource(strange(undefined), strange("text"))
      .build()
    if (built._tag === "Success") return assert.fail("it must not be built")
    assert.instanceOf(built.failure, McpBuildErrors)
    const places = /Resources\.test\.ts:\d+/g
    const message = built.failure.message
    assert.lengthOf(new Set(message.match(places)), 9)
    assert.strictEqual(
      message.replaceAll(places, "here"),
      `MCP server "box" cannot be built, for 11 reasons:
  1. server "box" (here): cache.ttlMs must be a whole number of milliseconds, 0 or more.
  2. resource "board" (here): it does not begin with a scheme, as "box-office:" in "box-office://board".
  3. resource "x://a b" (here): " " at 5 is not allowed in a URI: write %20.
  4. resource "x://100%" (here): the "%" at 7 begins no encoded byte: write %25.
  5. resource "x://{id}" (here): it has a variable in braces: add it with template(…).
  6. resource "x://y" (here): cache.ttlMs must be a whole number of milliseconds, 0 or more.
  7. resource "x://y" (here): cache.cacheScope must be "public" or "private".
  8. resource "undefined" (here): it does not begin with a scheme, as "box-office:" in "box-office://board".
  9. resource "undefined" (here): it has no function that reads it; pass one.
  10. resource "undefined" (here): it has no name; give it one.
  11. resource "x://%C3%A9" is added 2 times (here, here). Give each its own URI.`
    )
  })
})

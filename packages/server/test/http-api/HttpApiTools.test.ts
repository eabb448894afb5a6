/**
 * Operations of an HttpApi as tools: what is published of them, how arguments reach the operation, and what comes back.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { describeBuildError, Mcp } from "../../src/index.ts"
import { HttpApiTools } from "../../src/http-api/index.ts"
import { HallApi, HallLive, hallMcp, happened, hallTools } from "../fixtures/hallApi.ts"
import { bare, bothEras } from "../fixtures/eras.ts"
import { defectText, empty, said, serving } from "../fixtures/calling.ts"

const listed = Effect.map(
  Effect.flatMap(serving(hallMcp, {}), ({ list }) => list),
  (tools) => (name: string) => tools.find((tool) => tool["name"] === name) ?? {}
)

describe("a promoted operation", () => {
  it.effect("publishes path, query, chosen headers and payload side by side, as JSON types", () =>
    Effect.gen(function* () {
      const tool = yield* listed
      assert.deepStrictEqual(tool("put_order")["inputSchema"], {
        type: "object",
        properties: {
          hall: { type: "string" },
          row: { type: "number", description: "Counted from the stage" },
          tags: { type: "array", items: { type: "string" } },
          limit: { type: "number" },
          "x-tenant": { type: "string" },
          note: { type: "string" },
          day: { type: "string" },
          guests: { type: "array", items: { type: "string" } }
        },
        required: ["hall", "row", "note", "guests"]
      })
      assert.deepStrictEqual(tool("find")["inputSchema"].properties, {
        word: { type: "string" },
        most: { type: "number" }
      })
      assert.deepStrictEqual(tool("add")["inputSchema"].properties, {
        payload: { type: "array", items: { type: "integer" } }
      })
      assert.deepStrictEqual(tool("today")["inputSchema"], { type: "object", additionalProperties: false })
    })
  )

  it.effect("takes what people are told from the api, and hints from nobody but the author (TOOL-09)", () =>
    Effect.gen(function* () {
      const tool = yield* listed
      const { annotations, description, title } = tool("put_order")
      assert.deepStrictEqual([title, description, annotations], ["Puts an order", "Orders seats in one row", undefined])
      assert.isUndefined(tool("find")["annotations"])
      assert.deepStrictEqual(tool("get_hall")["annotations"], { readOnlyHint: true })
      assert.deepStrictEqual(tool("clear_hall")["annotations"], { destructiveHint: true, readOnlyHint: false })
    })
  )

  it.effect("hands each argument to its part of the request, in both eras", () =>
    Effect.gen(function* () {
      const { both } = yield* bothEras(hallMcp, {})
      const args = {
        hall: "a/b?c#d%2f é",
        row: 2.5,
        tags: ["x", "y&z", ""],
        "x-tenant": "acme",
        note: "n",
        day: "2026-07-28T00:00:00.000Z",
        guests: ["A"]
      }
      const [native, compat] = yield* both("tools/call", { name: "put_order", arguments: args })
      const day = Date.parse(args.day)
      const expected = { ...args, "x-tenant": undefined, tenant: "acme", agent: null, limit: 3, day, isOrder: true }
      const { "x-tenant": _, ...rest } = expected
      assert.deepStrictEqual(bare(native ?? {})["structuredContent"], { value: rest })
      assert.deepStrictEqual(bare(compat ?? {}), bare(native ?? {}))
    })
  )

  it.effect("keeps a header to one line of letters that a header holds, and runs nothing otherwise", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      const put = (tenant: string) =>
        result("put_order", { hall: "h", row: 1, note: "", guests: [], "x-tenant": tenant })
      for (const tenant of ["acme\r\nx-agent: eve", "a\nb", "a\0", "\u007f", "☃", "\ud800"]) {
        const refused = yield* put(tenant)
        assert.isTrue(refused.isError, JSON.stringify(tenant))
        assert.match(said(refused), /^Invalid arguments for put_order:\n- x-tenant: must be one line/)
      }
      for (const tenant of ["acme", "", "a\tb", 'é, "ü"']) {
        assert.strictEqual((yield* put(tenant)).structuredContent.value.tenant, tenant)
      }
    })
  )

  it.effect("may do without whatever the request may do without", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      const least = yield* result("put_order", { hall: "h", row: 1, note: "", guests: [] })
      const { day, guests, limit, tags, tenant } = least.structuredContent.value
      assert.deepStrictEqual([day, guests, limit, tags, tenant], [null, [], 3, null, null])
      const one = yield* result("put_order", { hall: "h", row: 1, note: "", guests: [], tags: ["only"], limit: 7 })
      assert.deepStrictEqual([one.structuredContent.value.tags, one.structuredContent.value.limit], [["only"], 7])
      assert.deepStrictEqual((yield* result("find", { word: "w" })).structuredContent, { value: ["w", "w"] })
      assert.deepStrictEqual((yield* result("find", { word: "w", most: 1 })).structuredContent, { value: ["w"] })
      assert.deepStrictEqual((yield* result("add", { payload: [1, 2, 3] })).structuredContent, { value: 6 })
    })
  )

  it.effect("refuses arguments that are not of their JSON type, and says all that is wrong (TOOL-16)", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      const wrong = yield* result("put_order", { hall: 1, row: "2", guests: [] })
      assert.isTrue(wrong.isError)
      assert.strictEqual(said(wrong).split("\n").length, 4)
      assert.include(said(wrong), "row: ")
    })
  )

  it.effect("gives nothing where the api answers without content", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      const { content, isError, structuredContent } = yield* result("clear_hall", { hall: "a b" })
      assert.deepStrictEqual([content, isError, structuredContent], [[], undefined, undefined])
      assert.include(happened.events, "cleared a b")
      assert.isUndefined((yield* listed)("clear_hall")["outputSchema"])
    })
  )

  it.effect("leaves the headers of a response behind", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      assert.deepStrictEqual((yield* result("end", { how: "odd" })).structuredContent, { done: true })
    })
  )
})

describe("an operation that says no", () => {
  it.effect("is an error of the tool where it is declared, even if its response is only a status (D5)", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      const full = yield* result("end", { how: "full" })
      assert.deepStrictEqual(
        [full.isError, full.structuredContent, said(full)],
        [true, { _tag: "Full", left: 2 }, "2 seats are left"]
      )
      const forbidden = yield* result("end", { how: "forbidden" })
      assert.deepStrictEqual([forbidden.isError, forbidden.structuredContent], [true, { _tag: "Forbidden" }])
      const declared = hallTools.contract.end.shape.errors
      const back = yield* Effect.orDie(declared?.decode(forbidden.structuredContent) ?? Effect.void)
      assert.strictEqual((back as { readonly constructor: Function }).constructor.name, "Forbidden")
    })
  )

  it.effect("is a defect with a reference where it is not declared, and tells the caller nothing (D5)", () =>
    Effect.gen(function* () {
      const defects: Array<unknown> = []
      const { result } = yield* serving(hallMcp, {}, { onDefect: (error) => defects.push(error) })
      for (const how of ["defect", "undeclared"]) {
        const { isError, ...reply } = yield* result("end", { how })
        assert.isTrue(isError)
        assert.match(said(reply), defectText)
      }
      assert.deepStrictEqual(
        defects.map((defect) => (defect as Error).message),
        ["the hall is on fire", "halls.end answered 503, which the api does not declare"]
      )
    })
  )

  it.effect("says what is missing where the api checks more than the arguments tell", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      const unsigned = yield* result("who")
      assert.deepStrictEqual(unsigned.structuredContent, { _tag: "Unknown" })
      const shape = yield* result("named", { id: "x1" })
      assert.isTrue(shape.isError)
      assert.include(said(shape), "the path arguments do not suit /named/:id([0-9]+)")
      const long = yield* result("get_hall", { hall: "h".repeat(200) })
      assert.include(said(long), "longer than maxParamLength")
    })
  )

  it.effect("is interrupted with its call", () =>
    Effect.gen(function* () {
      const { peer, served } = yield* serving(hallMcp, {})
      const before = happened.events.length
      const call = yield* peer.send({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "end",
          arguments: { how: "never" },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" }
          }
        }
      })
      yield* Effect.promise(() => happened.first((one) => one === "began"))
      yield* call.cancel
      yield* served.idle
      assert.deepStrictEqual(happened.events.slice(before), ["began", "interrupted"])
    })
  )
})

describe("an operation behind a catalog", () => {
  const tools = HttpApiTools.make(HallApi, {
    today: { operation: "halls.today", description: "Tonight" },
    get_hall: { operation: "halls.get", description: "One hall", hints: { readOnly: true }, tool: false },
    clear_hall: { operation: "halls.clear", description: "Empties a hall", tool: false }
  })
  const mcp = empty().add(tools.mcp.provide(HttpApiTools.layer(HallLive)))

  it.effect("D3: is no tool, and is found and run as others are", () =>
    Effect.gen(function* () {
      const { list, result } = yield* serving(mcp.catalog(), {})
      assert.deepStrictEqual(
        (yield* list).map(({ name }) => name),
        ["today", "search_operations", "invoke"]
      )
      const { operations, total } = (yield* result("search_operations", { query: "hall" })).structuredContent
      assert.deepStrictEqual([total, operations[0].name, operations[0].inputSchema.required], [1, "get_hall", ["hall"]])
      const run = yield* result("invoke", { name: "get_hall", arguments: { hall: "red" } })
      const asTool = yield* (yield* serving(hallMcp, {})).result("get_hall", { hall: "red" })
      assert.deepStrictEqual(run, asTool)
      const refused = yield* result("invoke", { name: "clear_hall", arguments: { hall: "red" } })
      assert.include(said(refused), 'The operation "clear_hall" is not marked as read-only')
    })
  )

  it("D1: is called an operation where it could not be served", () => {
    const wrong = HttpApiTools.make(HallApi, { find_halls: { operation: "halls.find", tool: false } })
    assert.match(
      Mcp.check(empty().add(wrong.mcp)).map(describeBuildError).join(),
      /^operation "find_halls" \(.*\): it has no description/
    )
  })
})

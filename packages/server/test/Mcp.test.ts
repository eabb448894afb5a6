import { assert, describe, it } from "@effect/vitest"
import { createServer } from "node:net"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"
import { readFileSync } from "node:fs"
import { inspect } from "node:util"
import { rawAsk, rawRequest, rawToolCall } from "@treadle/testing"
import { describeBuildError, Endpoint, Mcp, McpBuildErrors, McpMemory, type McpBuildError } from "../src/index.ts"
import { McpHttp } from "../src/http.ts"
import { McpNode } from "../src/node/index.ts"
import { linePair } from "@treadle/protocol/framing"
import { empty, said, serving } from "./fixtures/calling.ts"

const header = (name: string) => ({ "x-mcp-header": name }) as {}
const plain = { description: "Tested" }
const nothing = async () => ""
const unchecked = (name: string) => name as "x"

/** Twelve faults of seven kinds. The marks at the ends of the lines are what a place must find. */
const faulty = Mcp.make({ name: "box", version: "1" })
  .tool(unchecked("get show"), plain, nothing) // fault 1
  .tool(unchecked(""), plain, nothing) // fault 2
  .tool(unchecked("x".repeat(129)), plain, nothing) // fault 3
  .tool("numbers", { ...plain, input: { n: Schema.Number.annotate({ description: "lost" }) } }, nothing) // fault 4
  .tool("maybe", { ...plain, input: { m: Schema.optional(Schema.String) } }, nothing) // fault 5
  .tool("pattern", { ...plain, input: { p: Schema.String.check(Schema.isPattern(/^a/)) } }, nothing) // fault 6
  .tool("listed", { ...plain, input: z.array(z.string()) as never }, nothing) // fault 7
  .tool("spaced", { ...plain, input: { a: Schema.String.annotate(header("not a token")) } }, nothing) // fault 8
  .tool("float", { ...plain, input: { a: Schema.Finite.annotate(header("A")) } }, nothing) // fault 9
  .tool("tagged", { ...plain, errors: [Schema.TaggedStruct("E", {}), Schema.TaggedStruct("E", {})] }, nothing) // fault 10
  .tool("twice", plain, nothing)
  .tool("twice", plain, nothing) // fault 11
  .extension("no-prefix") // fault 12

const lines = readFileSync(new URL(import.meta.url), "utf8").split("\n")
const lineOf = (mark: number): number => lines.findIndex((line) => line.endsWith(`// fault ${mark}`)) + 1

describe("building", () => {
  it("D1: returns every reason at once, each with the place of its definition and the cure", () => {
    const built = faulty.build()
    if (Result.isSuccess(built)) return assert.fail("it must not be built")
    const { errors, message } = built.failure
    const at = (mark: number) => `Mcp.test.ts:${lineOf(mark)}`
    const twice = `Mcp.test.ts:${lineOf(11) - 1}`
    assert.deepStrictEqual(
      errors.map(({ _tag, place }) => [_tag, place]),
      [
        ["InvalidToolName", at(1)],
        ["InvalidToolName", at(2)],
        ["InvalidToolName", at(3)],
        ["UnrepresentableSchema", at(4)],
        ["UnrepresentableSchema", at(5)],
        ["UnrepresentableSchema", at(6)],
        ["NotPromotable", at(7)],
        ["InvalidHeaderAnnotation", at(8)],
        ["InvalidHeaderAnnotation", at(9)],
        ["AmbiguousErrors", at(10)],
        ["DuplicateTool", at(11)],
        ["InvalidExtensionId", at(12)]
      ]
    )
    assert.strictEqual(
      message,
      `MCP server "box" cannot be built, for 12 reasons:
  1. tool "get show" (${at(1)}): " " at 3 is not allowed in a tool name (A-Z a-z 0-9 _ - .). Rename it.
  2. tool "" (${at(2)}): a tool name must not be empty. Rename it.
  3. tool "${"x".repeat(129)}" (${at(3)}): a tool name has at most 128 characters, this one has 129. Rename it.
  4. tool "numbers" (${at(4)}), input "n": its description "lost" is lost in JSON Schema: use Schema.Finite or Schema.Int instead of Schema.Number.
  5. tool "maybe" (${at(5)}), input "m": Schema.optional publishes and sends null: use Schema.optionalKey.
  6. tool "pattern" (${at(6)}), input "p": the pattern /^a/ is not published: write it with the u flag, /^a/u.
  7. tool "listed" (${at(7)}): the input of a tool is an object with a member for each argument. Describe the input as fields or an object schema.
  8. tool "spaced" (${at(8)}), x-mcp-header at a: "not a token" is no header name; use letters, digits and - _ . without spaces.
  9. tool "float" (${at(9)}), x-mcp-header at a: only a string, an integer or a boolean can be mirrored in a header.
  10. tool "tagged" (${at(10)}) declares two errors with the tag "E". Give each its own _tag.
  11. tool "twice" is added 2 times (${twice}, ${at(11)}). Rename all but one.
  12. extension (${at(12)}): Extension id "no-prefix" must be a prefix and a name, as "com.example/thing".`
    )
  })

  it("D1: throws at plain doors before they listen, and fails at Effect doors, with the same reasons", async () => {
    const reasons = (error: unknown): ReadonlyArray<McpBuildError> =>
      error instanceof McpBuildErrors ? error.errors : assert.fail(String(error))
    const caught = (open: () => unknown) => {
      try {
        open()
      } catch (error) {
        return reasons(error)
      }
      return assert.fail("it must not open")
    }
    const expected = Mcp.check(faulty)
    assert.lengthOf(expected, 12)
    assert.deepStrictEqual(
      caught(() => McpNode.handler(faulty)),
      expected
    )
    assert.deepStrictEqual(
      caught(() => McpHttp.fetch(faulty)),
      expected
    )
    assert.deepStrictEqual(await McpNode.listen(faulty).then(() => assert.fail(), reasons), expected)
    assert.deepStrictEqual(await McpNode.stdio(faulty).then(() => assert.fail(), reasons), expected)
    const failing = [
      Effect.asVoid(Mcp.served(faulty)),
      Effect.asVoid(McpNode.scoped(faulty)),
      Effect.asVoid(McpMemory.serve(faulty, linePair()[0], {})),
      Effect.asVoid(faulty["~treadle/direct"]({})),
      Effect.asVoid(faulty.handle({ _tag: "Request", id: 1, method: "tools/list" }))
    ]
    for (const door of failing) {
      assert.deepStrictEqual(reasons(await Effect.runPromise(Effect.scoped(Effect.flip(door)))), expected)
    }
  })

  it("D1: never throws while adding, whatever an author without types gives", () => {
    const strange: ReadonlyArray<object> = [
      { input: { id: z.string() } },
      { input: { id: "string" } },
      { input: null },
      { output: {} },
      { output: { id: Schema.Int } },
      { output: null },
      { errors: [5] },
      { errors: "NotFound" }
    ]
    for (const definition of strange) {
      const mcp = empty().tool("t", { ...plain, ...definition }, nothing)
      const errors = Mcp.check(mcp)
      assert.isNotEmpty(errors, Object.keys(definition).join())
      for (const { place } of errors) assert.match(place, /^Mcp\.test\.ts:\d+$/)
    }
  })

  it("D1: gives the value itself where nothing is wrong", () => {
    const mcp = empty().tool("t", plain, nothing)
    assert.deepStrictEqual(mcp.build(), Result.succeed(mcp))
    assert.deepStrictEqual(Mcp.check(mcp), [])
  })

  it("D1: tells the places of a name that modules share, however they are composed", () => {
    const endpoint = Endpoint.make("t", plain)
    const left = empty().tool(endpoint, nothing)
    const right = empty().toolWith(endpoint, { timeout: 1 }, nothing)
    const here = lines.findIndex((line) => line.includes("const left = empty()")) + 1
    assert.deepStrictEqual(Mcp.check(empty().add(left).add(right).add(left)), [
      {
        _tag: "DuplicateTool",
        tool: "t",
        places: [here, here + 1, here].map((line) => `Mcp.test.ts:${line}`),
        place: `Mcp.test.ts:${here}`
      }
    ])
  })

  it("D1: a printed reason is its sentence, alone, in a list, and in what is thrown", () => {
    const [error] = Mcp.check(faulty)
    const sentence = `tool "get show" (Mcp.test.ts:${lineOf(1)}): " " at 3 is not allowed in a tool name (A-Z a-z 0-9 _ - .). Rename it.`
    const built = faulty.build()
    if (error === undefined || Result.isSuccess(built)) return assert.fail("it must not be built")
    const { failure } = built
    for (const printed of [String(error), inspect(error)]) assert.strictEqual(printed, sentence)
    assert.include(inspect(Mcp.check(faulty)), `\n  ${sentence},\n`)
    assert.include(inspect(built), sentence)
    for (const printed of [String(failure), inspect(failure), Cause.pretty(Cause.fail(failure))]) {
      assert.include(printed, 'McpBuildErrors: MCP server "box" cannot be built, for 12 reasons:\n')
      assert.include(printed, `\n  1. ${sentence}\n`)
      assert.notInclude(printed, "rule:")
    }
    assert.deepStrictEqual(JSON.parse(JSON.stringify(Mcp.check(faulty))), JSON.parse(JSON.stringify(failure.errors)))
    assert.strictEqual(JSON.parse(JSON.stringify(error))._tag, "InvalidToolName")
  })

  it("D1: says that a server has no name and no version, and that an empty text describes nothing", () => {
    const bare = (Mcp.make as (info: object) => Mcp<never>)({})
      .tool("t", { description: "" }, nothing)
      .prompt("p", { description: "" }, async () => "x")
    assert.deepStrictEqual(
      Mcp.check(bare).map((error) => describeBuildError(error).replace(/Mcp\.test\.ts:\d+/, "here")),
      [
        'server "undefined" (here): it has no name; give it one, such as the name of its package.',
        'server "undefined" (here): it has no version; give it one, such as the version of its package.',
        'tool "t" (here): it has no description; a model chooses a tool by it.',
        'prompt "p" (here): it has no description; people choose a prompt by it.'
      ]
    )
  })

  it.each([undefined, {}])("D1: says at plain doors what they serve, where they are given %j", async (none) => {
    const told = "TypeError: A door serves what Mcp.make({ … }) gives; it was given none"
    assert.throws(() => McpHttp.fetch(none as never), told.slice("TypeError: ".length))
    assert.strictEqual(await McpNode.listen(none as never).then(() => assert.fail(), String), told)
    assert.strictEqual(await McpNode.stdio(none as never).then(() => assert.fail(), String), told)
  })

  it("listens on no port when a port is taken, and says so", async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const error = await McpNode.listen(empty(), { port }).then(
      () => assert.fail(),
      (reason) => reason
    )
    assert.strictEqual(
      error.message,
      `The server cannot listen on port ${port} of 127.0.0.1 (EADDRINUSE): another program listens there; end it, or ` +
        "give another port, 0 for a free one"
    )
    assert.strictEqual(error.code, "EADDRINUSE")
    await new Promise((resolve) => taken.close(resolve))
  })
})

class Name extends Context.Service<Name, string>()("Name") {}
class Greeting extends Context.Service<Greeting, string>()("Greeting") {}

const counted = (value: string) => {
  const built: Array<string> = []
  const layer = Layer.effect(
    Name,
    Effect.acquireRelease(
      Effect.sync(() => {
        built.push(`+${value}`)
        return value
      }),
      () => Effect.sync(() => built.push(`-${value}`))
    )
  )
  return { built, layer }
}

const hello = (who: Effect.Effect<string, never, Name>) => Effect.map(who, (name) => `Hello ${name}`)

describe("composing", () => {
  it.effect("builds a layer once for all its tools, and releases it with the scope", () =>
    Effect.gen(function* () {
      const { built, layer } = counted("Ada")
      const mcp = empty()
        .tool("a", plain, () => hello(Name))
        .tool("b", plain, () => hello(Name))
        .provide(layer)
        .add(
          empty()
            .tool("c", plain, () => hello(Name))
            .provide(layer)
        )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { result } = yield* serving(mcp, {})
          for (const name of ["a", "b", "c"]) assert.strictEqual(said(yield* result(name)), "Hello Ada")
          assert.deepStrictEqual(built, ["+Ada"])
        })
      )
      assert.deepStrictEqual(built, ["+Ada", "-Ada"])
    })
  )

  it.effect("gives a layer to the tools added before it, and lets the inner one win", () =>
    Effect.gen(function* () {
      const mcp = empty()
        .tool("inner", plain, () => hello(Name))
        .provide(Layer.succeed(Name, "inner"))
        .tool("outer", plain, () => hello(Name))
        .provide(Layer.succeed(Name, "outer"))
      const { result } = yield* serving(mcp, {})
      assert.strictEqual(said(yield* result("inner")), "Hello inner")
      assert.strictEqual(said(yield* result("outer")), "Hello outer")
    })
  )

  it.effect("gives a layer what it needs from the layers provided after it, and from the environment", () =>
    Effect.gen(function* () {
      const greeting = Layer.effect(Greeting, hello(Name))
      const mcp = empty().tool("t", plain, () => Greeting)
      const { result } = yield* serving(mcp.provide(greeting).provide(Layer.succeed(Name, "layer")), {})
      assert.strictEqual(said(yield* result("t")), "Hello layer")
      const rest = yield* Effect.provideService(serving(mcp.provide(greeting), {}), Name, "environment")
      assert.strictEqual(said(yield* rest.result("t")), "Hello environment")
    })
  )

  it.effect("builds a layer that two modules share once, as Effect does; Layer.fresh keeps them apart", () =>
    Effect.gen(function* () {
      const greeting = Layer.effect(Greeting, hello(Name))
      const composed = (share: (layer: typeof greeting) => typeof greeting) => {
        const module = (name: "a" | "b") =>
          empty()
            .tool(name, plain, () => Greeting)
            .provide(share(greeting))
            .provide(Layer.succeed(Name, name))
        return serving(empty().add(module("a")).add(module("b")), {})
      }
      const shared = yield* composed((layer) => layer)
      assert.strictEqual(said(yield* shared.result("b")), "Hello a")
      const apart = yield* composed(Layer.fresh)
      assert.strictEqual(said(yield* apart.result("a")), "Hello a")
      assert.strictEqual(said(yield* apart.result("b")), "Hello b")
    })
  )

  it.effect("serves one value twice, apart from each other", () =>
    Effect.gen(function* () {
      const { built, layer } = counted("x")
      const mcp = empty()
        .tool("t", plain, () => hello(Name))
        .tool("w", plain, () => Effect.never)
        .provide(layer)
      const [left, right] = [yield* serving(mcp, {}), yield* serving(mcp, {})]
      assert.deepStrictEqual(built, ["+x", "+x"])
      const waiting = yield* left.peer.send(rawToolCall(1, "w"))
      assert.deepStrictEqual([left.served.counters().calls, right.served.counters().calls], [1, 0])
      yield* waiting.cancel
      yield* left.served.stop
      assert.strictEqual(said(yield* right.result("t")), "Hello x")
    })
  )

  it.effect("VER-04 DISC-02: declares extensions as they were given, and no tools where there are none", () =>
    Effect.gen(function* () {
      const mcp = empty().extension("com.example/a").extension("com.example/b", { limit: 1 })
      const { peer } = yield* serving(mcp, {})
      const answer = yield* rawAsk(peer, rawRequest(1, "server/discover"))
      assert.deepStrictEqual(answer["result"].capabilities, {
        extensions: { "com.example/a": {}, "com.example/b": { limit: 1 } }
      })
    })
  )
})

describe("a tool for some callers", () => {
  interface Ctx {
    readonly admin: boolean
  }
  const visible = ({ admin }: Ctx) => admin
  const mcp = empty<Ctx>()
    .tool("all", plain, async (_, { context }) => String(context.admin))
    .tool("admin", { ...plain, visible, input: { x: Schema.String.annotate(header("X")) } }, nothing)

  it.effect("TOOL-02 CACHE-11 D15: is listed and served for them only, and the list is private", () =>
    Effect.gen(function* () {
      for (const [admin, names] of [
        [true, ["all", "admin"]],
        [false, ["all"]]
      ] as const) {
        const { list, peer, result } = yield* serving(mcp, { admin })
        assert.sameOrderedMembers(
          [...names],
          (yield* list).map(({ name }) => name)
        )
        assert.strictEqual((yield* rawAsk(peer, rawRequest(1, "tools/list")))["result"].cacheScope, "private")
        assert.strictEqual(said(yield* result("all")), String(admin))
        const answer = yield* rawAsk(peer, rawToolCall(1, "admin", { x: "" }))
        assert.strictEqual(answer["error"]?.message, admin ? undefined : 'Unknown tool "admin"; see tools/list')
      }
    })
  )

  it("TOOL-18: is unknown to the others in every respect, its mirrored arguments included", async () => {
    const door = McpHttp.fetch(mcp)
    const answers = await Promise.all(
      ["admin", "nope"].map(async (name) => {
        const response = await door(
          new Request("http://localhost/mcp", {
            method: "POST",
            headers: {
              "content-type": "application/json",
              "mcp-protocol-version": "2026-07-28",
              "mcp-method": "tools/call",
              "mcp-name": name
            },
            body: JSON.stringify(rawToolCall(1, name, { x: "a" }))
          }),
          { admin: false }
        )
        return [response.status, (await response.text()).replace(name, "")]
      })
    )
    assert.deepStrictEqual(answers[0], answers[1])
  })

  it.effect("D5: refuses the request where the author's function throws, and tells nothing of why", () =>
    Effect.gen(function* () {
      const broken = empty<Ctx>().tool(
        "t",
        {
          ...plain,
          visible: () => {
            throw new Error("secret")
          }
        },
        nothing
      )
      const { peer } = yield* serving(broken, { admin: true }, { onDefect: () => {} })
      for (const message of [rawRequest(1, "tools/list"), rawToolCall(1, "t")]) {
        const { error } = yield* rawAsk(peer, message)
        assert.strictEqual(error.code, -32603)
        assert.match(error.message, /^Internal error \(reference [0-9a-f]{8}\)$/)
      }
    })
  )

  it.effect("counts as hidden whatever the function gives that is not true", () =>
    Effect.gen(function* () {
      const odd = empty().tool("t", { ...plain, visible: () => undefined as never }, nothing)
      const { list, peer } = yield* serving(odd, {})
      assert.deepStrictEqual(yield* list, [])
      assert.strictEqual((yield* rawAsk(peer, rawToolCall(1, "t")))["error"].code, -32602)
    })
  )
})

describe("what only plain JavaScript can write", () => {
  it("D1: is a build error too: no handler, no description, no schema at all, a schema of Zod 3, a JSON Schema", () => {
    const mcp = Mcp.make({ name: "js", version: "1" }) as unknown as {
      tool: (...args: ReadonlyArray<unknown>) => Parameters<typeof Mcp.check>[0] & typeof mcp
    }
    const handler = async () => "x"
    const built = mcp
      .tool("bare")
      .tool("json", { description: "x", input: { type: "object", properties: {} } }, handler)
      .tool("zod3", { description: "x", input: { _def: {}, parse: () => undefined } }, handler)
      .tool("field", { description: "x", input: { a: 5 } }, handler)
      .tool("fields", { description: "x", output: { a: Schema.Int } }, handler)
    assert.deepStrictEqual(
      Mcp.check(built).map((error) => [error._tag, "why" in error ? error.why : ""]),
      [
        ["InvalidDefinition", "it has no handler; pass a function"],
        ["InvalidDefinition", "it has no description; a model chooses a tool by it"],
        [
          "UnrepresentableSchema",
          "a JSON Schema object checks nothing by itself: write fields, an Effect Schema, or a Zod or ArkType schema"
        ],
        ["UnrepresentableSchema", "Zod 3 does not print JSON Schema: use Zod 4"],
        ["UnrepresentableSchema", 'the field "a" is no Effect Schema: wrap Zod fields in z.object({ … })'],
        ["UnrepresentableSchema", "an output is one schema, not fields: wrap them in Schema.Struct"]
      ]
    )
  })

  it("D1: names the member of a Zod object that has no JSON form", () => {
    const mcp = Mcp.make({ name: "zod", version: "1" }).tool(
      "dated",
      { description: "x", input: z.object({ ok: z.string(), inner: z.object({ at: z.date() }) }) },
      async () => "x"
    )
    const errors = Mcp.check(mcp)
    assert.deepStrictEqual(
      errors.map((error) => ("path" in error ? error.path : error._tag)),
      ["inner.at"]
    )
  })
})

describe("the names of members", () => {
  it("D1: that every JavaScript object has are build errors, because their absence could not be told", () => {
    const mcp = Mcp.make({ name: "names", version: "1" }).tool(
      "inherits",
      { description: "x", input: { constructor: Schema.String, nested: Schema.Struct({ toString: Schema.String }) } },
      async () => "x"
    )
    assert.deepStrictEqual(
      Mcp.check(mcp).map((error) => ("path" in error ? error.path : error._tag)),
      ["constructor", "nested.toString"]
    )
  })
})

/**
 * Whatever arrives gets exactly one answer, or 202 where it is a notification; nothing crashes and nothing hangs.
 */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { hostileJson, json, jsonObject, rawRequest, rawToolCall, Recorder, type RawMessage } from "@treadle/testing"
import { linePair } from "@treadle/protocol/framing"
import { Mcp, McpMemory } from "../../src/index.ts"
import { McpHttp } from "../../src/http.ts"
import type { Sink } from "../../src/engine/Sink.ts"
import { empty, said, serving } from "../fixtures/calling.ts"
import { httpDoors } from "../fixtures/cells.ts"
import { quietAtEnd } from "../fixtures/quiet.ts"

const plain = { description: "Tested" }
const mcp = empty()
  .tool("any", { ...plain, input: { value: Schema.Json }, output: Schema.Json }, ({ value }) => Effect.succeed(value))
  .tool("text", { ...plain, input: { text: Schema.String } }, ({ text }) => Effect.succeed(text))

/** Messages from garbage to good ones with garbage in one place. */
const anything = Arbitrary.map(
  Arbitrary.all([hostileJson, jsonObject, Arbitrary.schema(Schema.Literals([0, 1, 2, 3, 4, 5]))]),
  ([value, object, kind]): unknown => {
    if (kind === 0) return value
    if (kind === 1) return rawToolCall(1, "any", { value })
    if (kind === 2) return rawToolCall(1, "any", value)
    if (kind === 3) return rawRequest(1, "tools/list", object)
    if (kind === 4) return { ...rawToolCall(1, "text", {}), params: value }
    return { jsonrpc: "2.0", method: "notifications/cancelled", params: object }
  }
)

const isAnswer = (value: any): boolean =>
  value?.jsonrpc === "2.0" &&
  (value.error === undefined ? value.result !== undefined : Number.isInteger(value.error.code))

describe("any JSON", () => {
  it.effect("is answered once by the function that every door calls", () =>
    Effect.gen(function* () {
      const served = yield* quietAtEnd(Mcp.served(mcp, { onDefect: () => {} }))
      const checked = yield* Arbitrary.checkEffect(
        anything,
        (value) =>
          Effect.sync(() => {
            const answers: Array<string> = []
            const sink: Sink = {
              post: () => true,
              full: () => false,
              room: Effect.void,
              answer: ({ text }) => answers.push(text),
              abandon: () => assert.fail("nothing was cancelled"),
              tick: () => {}
            }
            const inbound = { value, context: {}, principal: undefined, services: undefined, owner: "o" }
            const outcome = served.serve({ ...inbound, http: undefined, overHttp: false }, sink)
            assert.strictEqual(answers.length, outcome === "accepted" ? 0 : 1)
            for (const text of answers) assert.isTrue(isAnswer(JSON.parse(text)), text)
            return true
          }),
        { runs: 500 }
      )
      assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
      assert.strictEqual(served.counters().calls, 0)
    })
  )

  it.effect("is answered once over HTTP, with a status that fits", () =>
    Effect.gen(function* () {
      const door = McpHttp.fetch(mcp, { onDefect: () => {} })
      const checked = yield* Arbitrary.checkEffect(
        anything,
        (value) =>
          Effect.promise(async () => {
            const params = (value as RawMessage | null)?.["params"]
            const response = await door(
              new Request("http://localhost/mcp", {
                method: "POST",
                headers: {
                  "content-type": "application/json",
                  "mcp-protocol-version": "2026-07-28",
                  "mcp-method": (JSON.stringify((value as RawMessage | null)?.["method"]) ?? "")
                    .replaceAll('"', "")
                    .replaceAll(/[^\x20-\x7e]/g, "?"),
                  "mcp-name": typeof params?.name === "string" ? "any" : "x"
                },
                body: JSON.stringify(value)
              })
            )
            const text = await response.text()
            if (response.status === 202) return text === ""
            assert.isTrue(isAnswer(JSON.parse(text)), text)
            return [200, 400, 404].includes(response.status)
          }),
        { runs: 300 }
      )
      assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
    })
  )

  it.effect("of every shape leaves a pipe open, each line with one answer at most", () =>
    Effect.gen(function* () {
      const [near, far] = linePair()
      yield* quietAtEnd(McpMemory.serve(mcp, far, {}, { onDefect: () => {} }))
      const seen = new Recorder<RawMessage>()
      const decoder = new TextDecoder()
      near.open({
        chunk: (bytes) => {
          for (const line of decoder.decode(bytes, { stream: true }).split("\n")) {
            if (line !== "") seen.record(JSON.parse(line))
          }
        },
        end: () => {},
        drain: () => {}
      })
      const values = yield* Arbitrary.sampleEffect(json, { count: 200 })
      let lines = 0
      for (const value of values) {
        near.write(`${JSON.stringify(value)}\n`)
        lines++
      }
      near.write(`${JSON.stringify(rawToolCall("end", "text", { text: "end" }))}\n`)
      yield* Effect.promise(() => seen.first((message) => message["id"] === "end"))
      assert.isAtMost(seen.events.length, lines + 1)
    })
  )
})

interface Tree {
  readonly v: number
  readonly children: ReadonlyArray<Tree>
}
const Tree = Schema.Struct({
  v: Schema.Int,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
}).annotate({ identifier: "Tree" })

const tree = (depth: number): Tree => ({ v: depth, children: depth === 0 ? [] : [tree(depth - 1)] })

describe("a recursive schema", () => {
  it.effect("B096: is published with references, takes 50 levels and gives them back, and refuses a wrong leaf", () =>
    Effect.gen(function* () {
      const served = empty().tool("t", { ...plain, input: { tree: Tree }, output: Tree }, async ({ tree }) => tree)
      const { list, result } = yield* serving(served, {})
      const [tool] = yield* list
      const valid = new Ajv2020({ strict: true }).compile(tool?.["inputSchema"])
      assert.isTrue(valid({ tree: tree(50) }))
      assert.deepStrictEqual((yield* result("t", { tree: tree(50) })).structuredContent, tree(50))
      const wrong = { tree: { v: 1, children: [{ v: "2", children: [] }] } }
      assert.isFalse(valid(wrong))
      assert.match(said(yield* result("t", wrong)), /- tree\.children\[0\]\.v: /)
    })
  )

  it.effect("B096 TOOL-16: takes no arguments that overflow the stack of its checks, which is no defect", () =>
    Effect.gen(function* () {
      const defects: Array<unknown> = []
      const heavy: Schema.Codec<Tree> = Array.from({ length: 24 }).reduce<Schema.Codec<Tree>>(
        (inner) => Schema.suspend(() => inner),
        Schema.Struct({ v: Schema.Int, children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => heavy)) })
      )
      const served = empty().tool("t", { ...plain, input: { tree: heavy } }, async () => "taken")
      const { result } = yield* serving(
        served,
        {},
        { onDefect: (error) => defects.push(error), limits: { nesting: 1_000 } }
      )
      assert.deepStrictEqual(yield* result("t", { tree: tree(490) }), {
        content: [{ type: "text", text: "Invalid arguments for t:\n- the value nests too deeply to be read" }],
        isError: true
      })
      assert.deepStrictEqual(defects, [])
    })
  )
})

describe.each(httpDoors)("a hostile message at the door on $name", ({ send }) => {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
  const limits = { limits: { bodyBytes: 4_000_000 } }
  const hostile = [
    [
      "B096: an argument that nests 500 deep",
      (text: string) => text.replace('"text":"hi"', `"text":${deep(500)}`),
      200
    ],
    [
      "B096: an argument that nests 100,000 deep",
      (text: string) => text.replace('"text":"hi"', `"text":${deep(100_000)}`),
      400
    ],
    [
      "B096: a _meta that nests 100,000 deep",
      (text: string) => text.replace('"_meta":{', `"_meta":{"x":${deep(100_000)},`),
      400
    ],
    ["B096: a list that nests 1,000,000 deep", () => deep(1_000_000), 400],
    [
      "200,000 arguments that nobody has",
      (text: string) =>
        text.replace('"text":"hi"', `${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1,`).join("")}"text":"hi"`),
      200
    ],
    [
      "keys that mean something to JavaScript",
      (text: string) =>
        text.replace('"text":"hi"', '"text":"hi","__proto__":{"text":"x"},"constructor":1,"toString":2'),
      200
    ],
    ["a name from Object.prototype", (text: string) => text.replace('"name":"echo"', '"name":"__proto__"'), 400],
    ["a lone surrogate", (text: string) => text.replace('"hi"', '"\\ud800"'), 200]
  ] as const

  it.effect.each(hostile)("%s is answered", ([, text, status]) =>
    Effect.scoped(
      Effect.map(send({ text, settings: limits }), (seen) => {
        assert.strictEqual(seen.status, status, seen.text.slice(0, 300))
        assert.isTrue(isAnswer(seen.json), seen.text.slice(0, 300))
      })
    )
  )
})

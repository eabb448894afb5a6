import * as Effect from "effect/Effect"
import { assert, describe, it } from "@effect/vitest"
import { Agent } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import type { ToolResult } from "@treadle/protocol/schema"
import { boundedRound, bounded, observed, spoken } from "../../src/toolbox/Observation.ts"
import { modelSchema, schemaFault } from "../../src/toolbox/ModelSchema.ts"
import { cutText } from "../../src/Text.ts"
import { native, result, said, serving, tool } from "../wire.ts"

const read = (content: ReadonlyArray<object>, more: object = {}, structured = true) =>
  observed({ content, ...more } as ToolResult, structured).value

/** Whether no character is cut in two. */
const isWhole = (words: string): boolean => !/\p{Surrogate}/u.test(words)

const text = (words: string) => ({ type: "text", text: words })

describe("a result as a model reads it", () => {
  it("tells of content that is no text, and hands on no bytes (A45, B033)", () => {
    const bytes = Buffer.alloc(3_000, 7).toString("base64")
    const value = read([
      text("See:"),
      { type: "image", data: bytes, mimeType: "image/png" },
      { type: "audio", data: bytes, mimeType: "audio/wav" },
      { type: "resource_link", uri: "file:///a.md", name: "a" },
      { type: "resource", resource: { uri: "file:///b.md", text: "words of b" } },
      { type: "resource", resource: { uri: "file:///c.bin", blob: bytes } },
      { type: "hologram", x: 1 }
    ])
    assert.deepStrictEqual(String(value).split("\n"), [
      "See:",
      "[image image/png, 3000 bytes]",
      "[audio audio/wav, 3000 bytes]",
      "[resource file:///a.md: a]",
      "words of b",
      "[file:///c.bin: bytes of unknown type, 3000 bytes]",
      '[content of type "hologram"]'
    ])
  })

  it("says so where there is none (B033)", () => {
    assert.deepStrictEqual([read([]), read([text("")]), read([], {}, false)], Array(3).fill("(no content)"))
  })

  it("has structured content once, without the text that is its copy (B034)", () => {
    const rows = { rows: [1, 2] }
    assert.deepStrictEqual(read([text(JSON.stringify(rows))], { structuredContent: rows }), rows)
    assert.deepStrictEqual(read([text("2 of them, see there")], { structuredContent: rows }), rows)
    assert.deepStrictEqual(read([], { structuredContent: rows }), rows)
    assert.deepStrictEqual(
      read([text(""), { type: "image", data: "", mimeType: "image/png" }], { structuredContent: rows }),
      {
        value: rows,
        content: ["[image image/png, 0 bytes]"]
      }
    )
  })

  it("has the text of a failure beside what it is structured as (B012)", () => {
    const failed = { isError: true, structuredContent: { ok: false } }
    assert.deepStrictEqual(read([text("API key invalid")], failed), {
      value: { ok: false },
      content: ["API key invalid"]
    })
    assert.deepStrictEqual(read([text('{ "ok": false }')], failed), { ok: false })
  })

  it("has its text where the revision has no structured content (A23)", () => {
    assert.strictEqual(read([text("words")], { structuredContent: { a: 1 } }, false), "words")
  })

  it("is cut where it is too long, at a character, and says how long it was (B077)", () => {
    const long = "é".repeat(99_999) + "😀".repeat(10)
    const value = String(bounded(long))
    assert.isTrue(value.endsWith("… [truncated: 100019 characters in all]"))
    assert.isTrue(isWhole(value))
    assert.strictEqual(value.indexOf("…"), 99_999)
    assert.deepStrictEqual(bounded({ a: 1 }), { a: 1 })
    assert.match(String(bounded({ a: "x".repeat(200_000) })), /^\{"a":"x{99994}… \[truncated: 200008 characters/)
  })

  it("shares what a round has room for, and is whole where there is enough (B077)", () => {
    const round = [spoken("a".repeat(60)), spoken("b"), spoken("c".repeat(60))]
    assert.strictEqual(boundedRound(round, 121), round)
    const [one, two, three] = boundedRound(round, 90).map(({ value }) => String(value))
    assert.match(one ?? "", /^a{30}… \[truncated: 60 characters in all\]$/)
    assert.strictEqual(two, "b")
    assert.match(three ?? "", /^c{30}…/)
  })

  it("is cut between characters, never within one", () => {
    for (let max = 0; max <= 6; max++) {
      const cut = cutText("a😀b😀", max, "")
      assert.isTrue(isWhole(cut), String(max))
      assert.isAtMost(cut.length, max)
    }
  })
})

describe("huge results", () => {
  it.effect("reach the model within its window, and code as they came (B077)", () =>
    Effect.gen(function* () {
      const server = yield* serving(
        native({
          tools: [tool("big")],
          call: ({ json }, reply) => reply.json(result(json.id, said("é".repeat(1_000_000))))
        })
      )
      const one = Agent.make({
        name: "r",
        instruction: "Go.",
        servers: { box: server.url },
        limits: { window: 50_000 }
      })
      const model = AgentTest.script(
        AgentTest.together(...[1, 2, 3, 4].map((n) => AgentTest.callNamed("big", { n }))),
        (seen) => {
          assert.isAtMost(seen.prompt.length, 110_000)
          for (const { value } of seen.results) assert.include(String(value), "truncated: 1000")
          return AgentTest.say("ok")
        }
      )
      const outcome = yield* Effect.provide(Agent.run(one, "Go"), model)
      assert.strictEqual(outcome.status, "completed")
      for (const call of outcome.calls()) {
        assert.deepStrictEqual(call.result?.content, [text("é".repeat(1_000_000))] as never)
      }
    })
  )

  it.effect("of many blocks are one text", () =>
    Effect.gen(function* () {
      const server = yield* serving(
        native({
          tools: [tool("many")],
          call: ({ json }, reply) =>
            reply.json(
              result(json.id, said("", { content: Array.from({ length: 1_000 }, (_, n) => text(`line ${n}`)) }))
            )
        })
      )
      const one = Agent.make({ name: "r", instruction: "Go.", servers: { box: server.url } })
      const model = AgentTest.script(AgentTest.callNamed("many"), (seen) =>
        AgentTest.answer(String(seen.results[0]?.value).split("\n").length)
      )
      assert.strictEqual((yield* Effect.provide(Agent.run(one, "Go"), model)).text, "1000")
    })
  )
})

describe("a schema as a model reads it", () => {
  it("says what is in each list, and is otherwise as it was (B022)", () => {
    const list = { type: "array" }
    const full = { type: "array", items: {} }
    const schema = (one: object) => ({
      type: "object",
      properties: {
        a: one,
        b: { type: ["array", "null"], ...("items" in one ? { items: {} } : {}) },
        items: { type: "string" }
      },
      $defs: {
        deep: {
          anyOf: [
            one,
            { type: "array", items: one },
            { type: "array", prefixItems: [one], ...("items" in one ? { items: {} } : {}) }
          ]
        }
      },
      additionalProperties: one,
      required: ["a"]
    })
    assert.deepStrictEqual(modelSchema(schema(list) as never), schema(full) as never)
    assert.deepStrictEqual(modelSchema(schema(full) as never), schema(full) as never)
  })

  it("keeps what stands in for data: constants, enumerations, defaults and examples", () => {
    const data = { type: "array" }
    const schema = { type: "object", properties: { a: { const: data, enum: [data], default: data, examples: [data] } } }
    assert.deepStrictEqual(modelSchema(schema), schema)
  })

  it("is refused where it is too deep or too long", () => {
    let deep = {}
    for (let level = 0; level < 10_000; level++) deep = { not: deep }
    assert.include(schemaFault(deep), "deeper than 64 levels")
    assert.include(schemaFault({ description: "x".repeat(100_001) }), "characters")
    assert.isUndefined(schemaFault({ type: "object" }))
  })
})

/**
 * What becomes of a tool's result, whatever is in it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Endpoint } from "@treadle/protocol"
import { fact, opened, ping, reasonOf, result, serving, textResult } from "../fixtures.ts"

const count = Endpoint.make("count", { description: "x", output: Schema.Struct({ n: Schema.Finite }) })

/** A session whose calls all have this result. */
const resulting = (body: object) =>
  Effect.map(opened(serving((seen, reply) => reply.json(result(seen.json.id, body)))), ({ session }) => session)

/** A session whose calls all have a result of this JSON text. */
const worded = (text: string) =>
  opened(
    serving((seen, reply) =>
      reply.raw(`{"jsonrpc":"2.0","id":${seen.json.id},"result":${text}}`, { "content-type": "application/json" })
    )
  )

describe("the result of a tool", () => {
  it.effect("B033: hands on content of every type, known or not, as it came", () =>
    Effect.gen(function* () {
      const content = [
        { type: "text", text: "a" },
        { type: "image", data: "AA==", mimeType: "image/png" },
        { type: "audio", data: "AA==", mimeType: "audio/wav" },
        { type: "resource_link", name: "bill", uri: "box://bill" },
        { type: "resource", resource: { uri: "box://a", text: "b" } },
        { type: "resource", resource: { uri: "box://c", blob: "AA==" } },
        { type: "hologram", x: 1 }
      ]
      const session = yield* resulting({ resultType: "complete", content })
      assert.deepStrictEqual((yield* session.callTool("any")).content as unknown, content)
      assert.strictEqual(yield* session.call(ping)(), "a")
      const reply = yield* session.reply(ping)()
      assert.deepStrictEqual(reply.content as unknown, content)
    })
  )

  it.effect("B033: is an empty text where there is no content, or an empty one", () =>
    Effect.gen(function* () {
      const none = yield* resulting({ resultType: "complete", content: [] })
      assert.strictEqual(yield* none.call(ping)(), "")
      assert.deepStrictEqual((yield* none.callTool("any")).content, [])
      assert.strictEqual(yield* (yield* resulting(textResult(""))).call(ping)(), "")
    })
  )

  it.effect("B099: is read with numbers that JavaScript cannot hold, and the session works on", () =>
    Effect.gen(function* () {
      const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`
      const values = { "9007199254740993": 9007199254740992, "-0": -0, "1e999": undefined, [deep]: undefined }
      for (const [text, n] of Object.entries(values)) {
        const { session } = yield* worded(`{"resultType":"complete","content":[],"structuredContent":{"n":${text}}}`)
        const typed = session.call(count)()
        if (n !== undefined) assert.deepStrictEqual(yield* typed, { n })
        else assert.strictEqual((yield* reasonOf(typed))._tag, "Undecodable")
        const raw = yield* Effect.result(session.callTool("count"))
        if (raw._tag === "Failure") assert.strictEqual(raw.failure.reason._tag, "Undecodable")
        assert.deepInclude(session.counters(), { waiting: 0, links: 1 })
      }
    })
  )

  const rows: ReadonlyArray<readonly [string, object, "fits" | "fails"]> = [
    ["what is agreed", { structuredContent: { n: 1 } }, "fits"],
    ["what is agreed, and _meta", { structuredContent: { n: 1 }, _meta: { "a/b": 1 } }, "fits"],
    ["what is agreed, with a member that nobody asked for", { structuredContent: { n: 1, extra: true } }, "fits"],
    ["a value of another type", { structuredContent: { n: "1" } }, "fails"],
    ["a value beside its member", { n: 1 }, "fails"],
    ["only its text", {}, "fails"]
  ]

  it.effect.each(rows)(
    "B100 TOOL-11: is checked in its structured content alone, listed or not: %s %s",
    ([, more, verdict]) =>
      Effect.gen(function* () {
        const session = yield* resulting(textResult(`{"n":1}`, more))
        const text = [{ type: "text", text: `{"n":1}` }]
        if (verdict === "fits") {
          const reply = yield* session.reply(count)()
          assert.deepStrictEqual([reply.value, reply.content], [{ n: 1 }, text])
          assert.deepStrictEqual(reply.meta, fact(more, "_meta"))
        } else {
          const reason = yield* reasonOf(session.call(count)())
          assert.strictEqual(reason._tag, "Undecodable")
          assert.deepStrictEqual(fact(reason, "content"), text)
        }
      })
  )
})

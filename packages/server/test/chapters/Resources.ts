/**
 * Resources and templates of resources: their lists, reading, and what cannot be read.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chapter, errorOf, resultOf } from "../fixtures/chapter.ts"

export const resources = chapter("resources", (test) => {
  test("RES-01 RES-12: are listed in the order of definition, with all that was said of them", ({ connect }) =>
    Effect.gen(function* () {
      const listed = yield* resultOf(yield* connect(), "resources/list")
      assert.deepStrictEqual(listed.resources.slice(0, 2), [
        {
          uri: "suite://one",
          name: "one",
          title: "One",
          description: "The first",
          mimeType: "text/plain",
          size: 5,
          annotations: { audience: ["user"], priority: 0.5 }
        },
        { uri: "suite://bytes", name: "bytes", mimeType: "image/png" }
      ])
    }))

  test("RES-03 RES-06: are read as text, as bytes, and as several items", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const read = (uri: string) => resultOf(one, "resources/read", { uri })
      assert.deepStrictEqual(yield* read("suite://one"), {
        contents: [{ uri: "suite://one", mimeType: "text/plain", text: "First" }]
      })
      assert.deepStrictEqual(yield* read("suite://bytes"), {
        contents: [{ uri: "suite://bytes", mimeType: "image/png", blob: "AP8=" }]
      })
      assert.deepStrictEqual(yield* read("suite://album"), {
        contents: [
          { uri: "suite://album/1", text: "a" },
          { uri: "suite://album/2", mimeType: "image/png", blob: "AA==" }
        ]
      })
    }))

  test("RES-04 RES-05: that are not there are -32602 natively and -32002 in compat, never empty", (server) =>
    Effect.gen(function* () {
      const one = yield* server.connect()
      for (const uri of ["suite://nothing", "suite://rooms/attic", "suite://shows/x", "", "no uri", "__proto__"]) {
        const { code, data } = yield* errorOf(one, "resources/read", { uri })
        assert.strictEqual(code, server.era === "native" ? -32602 : -32002, uri)
        assert.strictEqual(data.uri, uri)
      }
    }))

  test("RES-04: that cannot be read now are -32603 with the reason, and a read without a URI is -32602", (server) =>
    Effect.gen(function* () {
      const one = yield* server.connect()
      const { code, data } = yield* errorOf(one, "resources/read", { uri: "suite://closed" })
      assert.strictEqual(code, -32603)
      assert.include(JSON.stringify(data), "Being painted")
      // Natively over HTTP the header is missing first (HDR-05).
      for (const uri of server.era === "compat" ? [undefined, null, 5, {}] : []) {
        assert.strictEqual((yield* errorOf(one, "resources/read", { uri })).code, -32602)
      }
    }))

  test("RES-11: have templates, listed as they were written", ({ connect }) =>
    Effect.gen(function* () {
      const listed = yield* resultOf(yield* connect(), "resources/templates/list")
      assert.deepStrictEqual(listed.resourceTemplates.slice(0, 2), [
        { uriTemplate: "suite://shows/{id}{?day}", name: "show", title: "A show", mimeType: "application/json" },
        { uriTemplate: "suite://rooms/{room}", name: "room" }
      ])
    }))

  test("RES-11: of a template are matched on the whole URI and decoded, https too", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const texts: ReadonlyArray<readonly [string, string]> = [
        ["suite://shows/7", '{"id":7}'],
        ["suite://shows/7?day=monday", '{"id":7,"day":"monday"}'],
        ["suite://rooms/stalls", "Full"],
        ["https://box.example/a/b", "a/b"]
      ]
      for (const [uri, text] of texts) {
        const { contents } = yield* resultOf(one, "resources/read", { uri })
        assert.deepStrictEqual([contents[0].uri, contents[0].text], [uri, text])
      }
    }))
})

import { assert, describe, it } from "@effect/vitest"
import { Content, Endpoint, Reply } from "@treadle/protocol"
import { endpointOf, isReply } from "@treadle/protocol/endpoint"
import { ClientRequest } from "@treadle/protocol/schema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

describe("Endpoint", () => {
  const getShow = Endpoint.make("get_show", {
    description: "One bill",
    title: "Get a show",
    input: { id: Schema.Int },
    output: Schema.Struct({ id: Schema.Int }),
    hints: { readOnly: true },
    meta: { "com.example/a": 1 },
    http: "GET /shows/:id"
  })

  it("keeps what its author said, apart from the schemas", () => {
    assert.strictEqual(getShow.name, "get_show")
    assert.deepStrictEqual(getShow.about, {
      description: "One bill",
      title: "Get a show",
      hints: { readOnly: true },
      meta: { "com.example/a": 1 },
      http: "GET /shows/:id"
    })
    assert.deepStrictEqual(Object.keys(getShow.def), ["input", "output", "errors"])
  })

  it("computes its shape when it is first asked for, and once", () => {
    let printed = 0
    const counted = {
      "~standard": {
        version: 1,
        vendor: "counted",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => ({ type: "object", title: String(++printed) }), output: () => ({}) }
      }
    }
    const lazy = endpointOf("lazy", { description: "x", input: counted })
    assert.strictEqual(printed, 0)
    assert.strictEqual(lazy.shape, lazy.shape)
    assert.strictEqual(printed, 1)
  })

  it("D1 never throws, whatever its name and its schemas are", () => {
    const odd = endpointOf("no such name", { description: "x", input: Schema.Never, output: Schema.Never })
    assert.strictEqual(odd.name, "no such name")
    assert.isAbove(odd.shape.faults.length, 0)
  })
})

describe("Reply", () => {
  it("D4 a reply carries a value, blocks and _meta, and only a reply is one", () => {
    const reply = Reply.withMeta(Reply.of({ rows: 3 }, Content.text("a"), Content.text("b")), { "com.example/a": 1 })
    assert.deepInclude(reply, { value: { rows: 3 }, meta: { "com.example/a": 1 } })
    assert.deepStrictEqual(reply.content, [Content.text("a"), Content.text("b")])
    assert.isTrue(isReply(reply))
    assert.isTrue(isReply(Reply.text()))
    for (const other of [undefined, null, "a", [], {}, { value: 1, content: [] }, JSON.parse("{}")]) {
      assert.isFalse(isReply(other))
    }
  })

  it("D4 blocks alone have no text of their own", () => {
    assert.deepInclude(Reply.text(Content.text("a")), { value: "", content: [Content.text("a")] })
  })
})

it("arguments that nest 100,000 deep are read without running out of stack", () => {
  const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000))
  assert.isTrue(
    Result.isSuccess(ClientRequest.decode("tools/call", { name: "a", arguments: { deep }, _meta: { deep } }))
  )
})

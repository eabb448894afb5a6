/**
 * The catalog as the official clients of two generations see it, in both eras: they check results against the published
 * output schemas, which `search_operations` has and `invoke` has not.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { McpNode } from "../../src/node/index.ts"
import { empty } from "../fixtures/calling.ts"
import { assertQuiet } from "../fixtures/quiet.ts"
import { textOf } from "./everyPeer.ts"
import { peers } from "./officialPeers.ts"

class NoSeat extends Schema.TaggedError<NoSeat>()("NoSeat", { row: Schema.String }) {}

const hall = empty()
  .operation(
    "find_seat",
    {
      description: "A free seat",
      input: { row: Schema.String },
      output: Schema.Struct({ seat: Schema.Int }),
      errors: NoSeat,
      hints: { readOnly: true }
    },
    ({ row }) => (row === "A" ? Effect.succeed({ seat: 1 }) : Effect.fail(new NoSeat({ row })))
  )
  .operation("list_rows", { description: "Rows", output: Schema.Array(Schema.String) }, async () => ["A", "B"])
  .operation("say_hello", { description: "Says hello" }, async () => "Hello")
  .catalog({ allow: ["list_rows", "say_hello"] })

describe.each(peers)("$client in the $era era", ({ connect }) => {
  it("D3 D4 D5 B012: finds operations and runs them, whatever they give", async () => {
    const listening = await McpNode.listen(hall)
    const peer = await connect("http", { url: listening.url, program: "" })
    assert.deepStrictEqual(
      (await peer.tools()).map(({ name }) => name),
      ["search_operations", "invoke"]
    )
    const { structuredContent } = await peer.call("search_operations", { query: "seat" })
    assert.strictEqual(structuredContent.operations[0].name, "find_seat")

    const run = (name: string, args?: object) => peer.call("invoke", { name, ...(args && { arguments: args }) })
    assert.deepStrictEqual((await run("find_seat", { row: "A" }))["structuredContent"], { seat: 1 })
    assert.deepStrictEqual((await run("list_rows"))["structuredContent"], { value: ["A", "B"] })
    assert.strictEqual(textOf(await run("say_hello")), "Hello")
    const failed = await run("find_seat", { row: "Z" })
    assert.isTrue(failed["isError"])
    assert.deepStrictEqual(failed["structuredContent"], { _tag: "NoSeat", row: "Z" })
    assert.match(textOf(await run("find_seats")), /The nearest: "find_seat"\./)

    assert.deepStrictEqual(peer.errors, [])
    await peer.close()
    await listening.close()
    assertQuiet(listening)
  })
})

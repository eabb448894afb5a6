/**
 * The contract of a toolkit: clients call its tools by it, typed as the toolkit has them.
 */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { McpClient, type McpError } from "@treadle/client"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ArgsOf, OutputOf } from "@treadle/protocol/endpoint"
import type { Mcp } from "../../src/index.ts"
import { ToolkitTools } from "../../src/toolkit/index.ts"
import { empty } from "../fixtures/calling.ts"
import { handlers, Seats, SoldOut, toolkit } from "./toolkits.ts"

const { contract, mcp } = ToolkitTools.make(toolkit)
const served = empty()
  .add(mcp.provide(handlers))
  .provide(Layer.succeed(Seats, { left: 3 }))

describe("the contract of a toolkit", () => {
  it.effect("types arguments, value and failure of a call", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(served)
      const day = new Date("2026-12-24T00:00:00.000Z")
      const call = session.call(contract.book)({ seats: 2, day })
      expectTypeOf(call).toEqualTypeOf<
        Effect.Effect<{ readonly booked: number; readonly day: Date }, SoldOut | McpError>
      >()
      assert.deepStrictEqual(yield* call, { booked: 2, day })
      const failed = yield* Effect.flip(session.call(contract.book)({ seats: 9, day }))
      assert.instanceOf(failed, SoldOut)
      assert.strictEqual(failed.left, 3)
    })
  )

  it("says of a tool without more that it takes nothing and gives text", () => {
    expectTypeOf<OutputOf<typeof contract.ask_model>>().toEqualTypeOf<string>()
    expectTypeOf<ArgsOf<typeof contract.ask_model>>().toEqualTypeOf<{ readonly [name: string]: never }>()
    expectTypeOf<ArgsOf<typeof contract.echo>>().toEqualTypeOf<{ readonly [name: string]: unknown }>()
    expectTypeOf(contract.count.name).toEqualTypeOf<"count">()
  })

  it("leaves in the type what handlers need until it is provided", () => {
    expectTypeOf(mcp.provide(handlers)).toEqualTypeOf<Mcp<Seats>>()
    expectTypeOf(served).toEqualTypeOf<Mcp<never>>()
  })
})

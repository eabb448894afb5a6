/** The box office in process: no port, no sleep. */
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { getShow, listShows, seatTheParty, ShowNotFound, SoldOut } from "./contract.ts"
import { boxOffice } from "./server.ts"

describe("the box office", () => {
  it.effect("lists tonight's shows, and those of a title", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(boxOffice)
      const all = yield* session.call(listShows)()
      assert.deepStrictEqual(
        all.map((show) => show.id),
        [1, 2]
      )
      const late = yield* session.call(listShows)({ search: "Late", limit: 5 })
      assert.deepStrictEqual(late, [{ id: 2, title: "Late bill", remaining: 2 }])
    })
  )

  it.effect("D3: has what is no tool in its catalog", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(boxOffice)
      const found = yield* session.callTool("search_operations", { query: "seats left" })
      assert.deepInclude(found.structuredContent, { total: 1 })
      const left = yield* session.callTool("invoke", { name: "seats_left" })
      assert.deepStrictEqual(left.structuredContent, { value: 14 })
    })
  )

  it.effect("fails with the declared error's own class", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(boxOffice)
      const missing = yield* Effect.flip(session.call(getShow)({ id: 9 }))
      assert.deepStrictEqual(missing, new ShowNotFound({ id: 9 }))
      const full = yield* Effect.flip(session.call(seatTheParty)({ id: 2, guests: ["A", "B", "C"] }))
      assert.deepStrictEqual(full, new SoldOut({ id: 2, remaining: 2 }))
    })
  )

  it.effect("reports progress guest by guest, ahead of the result", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(boxOffice)
      const party = yield* session.open(seatTheParty)({ id: 1, guests: ["Ada", "Grace"] })
      yield* TestClock.adjust("1 second")
      const seated = yield* Stream.runCollect(party.progress)
      assert.deepStrictEqual(
        seated.map(({ done, total, message }) => [done, total, message]),
        [
          [1, 2, "Ada is seated"],
          [2, 2, "Grace is seated"]
        ]
      )
      assert.deepStrictEqual(yield* party.result, { seats: ["Ada: row A, seat 1", "Grace: row A, seat 2"] })
    })
  )

  it.effect("gives the seats back when the call is cancelled", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(boxOffice)
      const party = yield* session.open(seatTheParty)({ id: 1, guests: ["A", "B", "C"] })
      const waiting = yield* Effect.forkChild(Effect.flip(party.result))
      yield* TestClock.adjust("100 millis")
      assert.strictEqual((yield* session.call(getShow)({ id: 1 })).remaining, 9)
      yield* party.cancel
      const failure = yield* Fiber.join(waiting)
      assert.isTrue(failure._tag === "McpError" && failure.reason._tag === "Cancelled")
      assert.strictEqual((yield* session.call(getShow)({ id: 1 })).remaining, 12)
    })
  )
})

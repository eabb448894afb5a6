/** What a typed client of the box office sees: a value, a declared error, progress, a cancelled call. */
import { McpClient } from "@treadle/client"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { getShow, listShows, seatTheParty } from "./contract.ts"

export const demonstration = (url: string, print: (line: string) => void) =>
  Effect.scoped(
    Effect.gen(function* () {
      const session = yield* McpClient.http(url)

      const shows = yield* session.call(listShows)()
      print(`list_shows        ${shows.map((show) => `${show.id} ${show.title}`).join(", ")}`)

      const missing = yield* session
        .call(getShow)({ id: 9 })
        .pipe(
          Effect.map((show) => show.title),
          Effect.catchTag("ShowNotFound", (error) => Effect.succeed(`ShowNotFound: ${error.message}`))
        )
      print(`get_show 9        ${missing}`)

      const party = yield* session.open(seatTheParty)({ id: 1, guests: ["Ada", "Grace"] })
      yield* Stream.runForEach(party.progress, ({ done, total, message }) =>
        Effect.sync(() => print(`seat_the_party    ${done}/${total} ${message}`))
      )
      print(`seat_the_party    ${(yield* party.result).seats.join("; ")}`)

      const unwanted = yield* session.open(seatTheParty)({ id: 1, guests: ["A", "B", "C", "D", "E"] })
      const waiting = yield* Effect.forkChild(Effect.flip(unwanted.result))
      yield* Stream.runHead(unwanted.progress)
      yield* unwanted.cancel
      print(`cancelled         ${(yield* Fiber.join(waiting)).message}`)

      yield* Effect.sleep("100 millis") // the server hears of it when the connection closes
      const after = yield* session.call(getShow)({ id: 1 })
      print(`get_show 1        ${after.title}, ${after.remaining} seats left`)
    })
  )

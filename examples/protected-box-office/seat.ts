/** Seats a party as guests of whoever is logged in. */
import type { InputOf } from "@treadle/protocol"
import { CurrentCall } from "@treadle/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { seatTheParty } from "../box-office/contract.ts"
import { Shows } from "../box-office/shows.ts"

export const seat = Effect.fnUntraced(function* ({ guests, id }: InputOf<typeof seatTheParty>) {
  const shows = yield* Shows
  yield* Effect.acquireRelease(shows.hold(id, guests.length), (_, exit) =>
    Exit.isSuccess(exit) ? Effect.void : shows.release(id, guests.length)
  )
  const caller = yield* CurrentCall.principal
  const host = caller?.via === "token" ? caller.subject : "nobody"
  return { seats: guests.map((guest, index) => `${guest}: row A, seat ${index + 1}, guest of ${host}`) }
})

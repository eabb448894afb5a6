/** The box office as an MCP server: each operation of the contract with its function. */
import type { InputOf } from "@treadle/protocol"
import { CurrentCall, Mcp } from "@treadle/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { getShow, listShows, seatsLeft, seatTheParty } from "./contract.ts"
import { Shows } from "./shows.ts"

const seat = Effect.fnUntraced(function* ({ id, guests }: InputOf<typeof seatTheParty>) {
  const shows = yield* Shows
  const count = guests.length
  // Seats are held while the guests walk in, and given back when the call is cancelled on the way.
  yield* Effect.acquireRelease(shows.hold(id, count), (_, exit) =>
    Exit.isSuccess(exit) ? Effect.void : shows.release(id, count)
  )
  const seats: Array<string> = []
  for (const [index, guest] of guests.entries()) {
    yield* Effect.sleep("100 millis")
    seats.push(`${guest}: row A, seat ${index + 1}`)
    yield* CurrentCall.progress(index + 1, count, `${guest} is seated`)
  }
  return { seats }
})

export const boxOffice = Mcp.make({ name: "Box office", version: "0.1.0" })
  .tool(listShows, ({ search, limit }) => Shows.use((shows) => shows.list(search, limit)))
  .tool(getShow, ({ id }) => Shows.use((shows) => shows.get(id)))
  .tool(seatTheParty, seat)
  .operation(seatsLeft, () => Shows.use((shows) => shows.left))
  .catalog()
  .provide(Shows.layer)

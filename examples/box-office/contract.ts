/** What server and client share: four operations of a box office, and what can go wrong. */
import { Arg, Endpoint } from "@treadle/protocol"
import * as Schema from "effect/Schema"

export const Show = Schema.Struct({ id: Schema.Int, title: Schema.String, remaining: Schema.Int })
export type Show = typeof Show.Type

export class ShowNotFound extends Schema.TaggedError<ShowNotFound>()(
  "ShowNotFound",
  { id: Schema.Int },
  { httpApiStatus: 404 }
) {
  override get message() {
    return `There is no show ${this.id}.`
  }
}

export class SoldOut extends Schema.TaggedError<SoldOut>()(
  "SoldOut",
  { id: Schema.Int, remaining: Schema.Int },
  { httpApiStatus: 409 }
) {
  override get message() {
    return `Show ${this.id} has only ${this.remaining} seats left.`
  }
}

export const listShows = Endpoint.make("list_shows", {
  description: "Tonight's shows, with the seats that are left",
  input: { search: Arg.optional(Schema.String, "Part of a title"), limit: Arg.withDefault(Schema.Int, 10, "How many") },
  output: Schema.Array(Show),
  http: "GET /shows",
  hints: { readOnly: true, openWorld: false }
})

export const getShow = Endpoint.make("get_show", {
  description: "One show by its number",
  input: { id: Schema.Int },
  output: Show,
  errors: ShowNotFound,
  http: "GET /shows/:id",
  hints: { readOnly: true, openWorld: false }
})

export const seatTheParty = Endpoint.make("seat_the_party", {
  description: "Seats guests one after another; nobody is seated when the call is cancelled",
  input: { id: Schema.Int, guests: Schema.Array(Schema.String) },
  output: Schema.Struct({ seats: Schema.Array(Schema.String) }),
  errors: [ShowNotFound, SoldOut],
  http: "POST /shows/:id/party",
  hints: { destructive: false, openWorld: false }
})

export const seatsLeft = Endpoint.make("seats_left", {
  description: "How many seats are left tonight, in all shows together",
  output: Schema.Int,
  http: "GET /seats",
  hints: { readOnly: true, openWorld: false }
})

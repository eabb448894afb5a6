/**
 * Endpoints that the tests call.
 */
import * as Schema from "effect/Schema"
import { Arg, Endpoint } from "@treadle/protocol"

export const Show = Schema.Struct({ id: Schema.Int, title: Schema.String })

export class ShowNotFound extends Schema.TaggedError<ShowNotFound>()("ShowNotFound", { id: Schema.Int }) {}

export const getShow = Endpoint.make("get_show", {
  description: "One bill",
  input: { id: Schema.Int },
  output: Show,
  errors: ShowNotFound
})

export const hold = Endpoint.make("hold", {
  description: "Holds seats",
  input: { show: Schema.Int },
  output: Schema.Array(Schema.Int),
  errors: { SoldOut: { left: Schema.Int }, Closed: {} }
})

export const list = Endpoint.make("list", {
  description: "The bills",
  input: { limit: Arg.withDefault(Schema.Int, 20), status: Arg.optional(Schema.String) }
})

export const ping = Endpoint.make("ping", { description: "Is it up" })

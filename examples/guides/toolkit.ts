/** A toolkit of effect/ai as tools of a server. */
// #region served
import { Mcp } from "@treadle/server"
import { ToolkitTools } from "@treadle/server/toolkit"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class Rows extends Context.Service<Rows, { readonly free: (row: string) => number }>()("guides/Rows") {}

class RowIsFull extends Schema.TaggedError<RowIsFull>()("RowIsFull", { row: Schema.String }) {}

const FreeSeats = Tool.make("free_seats", {
  description: "How many seats of a row are free",
  parameters: Schema.Struct({ row: Schema.String }),
  success: Schema.Int,
  failure: RowIsFull,
  dependencies: [Rows]
}).annotate(Tool.Readonly, true)

const ClearRow = Tool.make("clear_row", {
  description: "Takes every booking of a row back",
  parameters: Schema.Struct({ row: Schema.String }),
  success: Schema.String,
  needsApproval: true
})

export const toolkit = Toolkit.make(FreeSeats, ClearRow)

const handlers = toolkit.toLayer({
  free_seats: ({ row }) =>
    Effect.flatMap(Rows, ({ free }) =>
      free(row) > 0 ? Effect.succeed(free(row)) : Effect.fail(new RowIsFull({ row }))
    ),
  clear_row: ({ row }) => Effect.succeed(`Row ${row} is empty.`)
})

export const seats = ToolkitTools.make(toolkit, { clear_row: { scopes: ["seats:write"] } })

/** `Mcp<Rows>`: the handlers of the toolkit are there, and what they need is in the type. */
export const mcp = Mcp.make({ name: "seats", version: "1.0.0" }).add(seats.mcp.provide(handlers))
// #endregion

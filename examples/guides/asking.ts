/** A server whose handlers ask: one text for clients of every revision. */
// #region asking
import { Ask, Mcp } from "@treadle/server"
import * as Schema from "effect/Schema"

const details = {
  seats: Schema.Int.annotate({ default: 2 }),
  row: Schema.optionalKey(Schema.Literals(["front", "back"]))
}

let reserved = 0

export const desk = Mcp.make({ name: "desk", version: "1.0.0" }).tool(
  "book",
  { description: "Books seats", input: { show: Schema.String } },
  async ({ show }, { ask, step, fail }) => {
    const reservation = await step("reserve", async () => ({ number: ++reserved }))
    const answer = await ask("details", Ask.form({ message: `How many seats for ${show}?`, fields: details }))
    if (answer.action !== "accept") return fail("Nothing was booked")
    return `Reservation ${reservation.number}: ${answer.content.seats} seats for ${show}`
  }
)
// #endregion asking

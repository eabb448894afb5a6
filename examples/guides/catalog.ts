/** A server with many operations, of which few are tools. */
// #region contracts
import { Endpoint, Mcp } from "@treadle/server"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class NoBill extends Schema.TaggedError<NoBill>()("NoBill", { year: Schema.Int }) {
  override get message() {
    return `There is no bill of ${this.year}.`
  }
}

export const getBill = Endpoint.make("get_bill", {
  title: "A bill",
  description: "What was on in a year",
  input: { year: Schema.Int },
  output: Schema.Struct({ year: Schema.Int, title: Schema.String }),
  errors: NoBill,
  hints: { readOnly: true }
})

export const lendBill = Endpoint.make("lend_bill", {
  description: "Lends the bill of a year to a reader",
  input: { year: Schema.Int, reader: Schema.String }
})

export const burnBill = Endpoint.make("burn_bill", { description: "Destroys a bill", input: { year: Schema.Int } })
// #endregion

// #region catalog
const bills: ReadonlyMap<number, string> = new Map([[1948, "Hamlet"]])

export const archive = Mcp.make({ name: "archive", version: "1.0.0" })
  .tool("opening_hours", { description: "When the archive is open" }, async () => "From two to six")
  .operation(getBill, ({ year }) => {
    const title = bills.get(year)
    return title === undefined ? Effect.fail(new NoBill({ year })) : Effect.succeed({ year, title })
  })
  .operation(lendBill, async ({ reader, year }) => `${reader} has the bill of ${year}.`)
  .operation(burnBill, async () => "It is gone.", { scopes: ["archive:burn"] })
  .catalog({ allow: ["lend_bill"] })
// #endregion

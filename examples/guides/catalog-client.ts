/** An operation behind a catalog, called by its contract. */
// #region client
import type { McpSession } from "@treadle/client"
import { Endpoint } from "@treadle/protocol"
import * as Schema from "effect/Schema"
import { getBill } from "./catalog.ts"

/** `invoke` as it is for one operation: it gives what the operation gives. */
const invokeGetBill = Endpoint.make("invoke", {
  description: getBill.about.description,
  input: { name: Schema.Literal("get_bill"), arguments: Schema.Struct(getBill.def.input) },
  output: getBill.def.output,
  errors: getBill.def.errors
})

/** Fails with `NoBill`, and with `McpError`. */
export const billOf = (session: McpSession, year: number) =>
  session.call(invokeGetBill)({ name: "get_bill", arguments: { year } })
// #endregion

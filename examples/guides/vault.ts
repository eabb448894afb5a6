/** A resource with a service: it may be unavailable, some callers do not see it, and what was read may be kept a while. */
// #region vault
import { Mcp, ResourceUnavailable } from "@treadle/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class LedgerLocked extends Schema.TaggedError<LedgerLocked>()("LedgerLocked", { by: Schema.String }) {}

export class Ledger extends Context.Service<Ledger, { readonly today: Effect.Effect<string, LedgerLocked> }>()(
  "guides/Ledger"
) {}

export interface Caller {
  readonly user: string
  readonly isTreasurer: boolean
}

export const vault = Mcp.make<Caller>({ name: "vault", version: "1.0.0", principal: ({ user }) => user }).resource(
  {
    uri: "box-office://ledger/today",
    name: "ledger",
    mimeType: "text/csv",
    visible: ({ isTreasurer }) => isTreasurer,
    cache: { ttlMs: 60_000 }
  },
  () =>
    Ledger.use(({ today }) =>
      Effect.catchTag(today, "LedgerLocked", ({ by }) =>
        Effect.fail(new ResourceUnavailable(`${by} is counting the money`))
      )
    )
)
// #endregion

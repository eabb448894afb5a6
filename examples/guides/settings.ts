/** A door of one of several processes that serve the same clients. */
// #region settings
import { Mcp, StateStore, type DefectPlace, type StateKey, type StateStoreService } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import * as Layer from "effect/Layer"

interface Shared {
  /** The newest key first. */
  readonly keys: ReadonlyArray<StateKey>
  /** Over a database that all processes use. */
  readonly store: StateStoreService
  readonly report: (error: unknown, place: DefectPlace) => void
}

export const doorOf = (mcp: Mcp<never>, { keys, report, store }: Shared) =>
  McpHttp.fetch(mcp.provide(Layer.succeed(StateStore, store)), {
    hosts: ["box.example"],
    stateKeys: keys,
    onDefect: report
  })

/** 32 random bytes in Base64, as `openssl rand -base64 32` prints them. */
export const keyOf = (id: string, base64: string): StateKey => ({
  id,
  secret: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
})
// #endregion

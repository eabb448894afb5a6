/**
 * What an author says of the catalog of a server.
 */
import type { AnyEndpoint } from "@treadle/protocol/endpoint"

/** Which operations `invoke` runs, beside those that say `hints: { readOnly: true }`. */
export interface CatalogOptions {
  /**
   * The names of operations, or what decides by their contracts. An operation that does not say what it does counts as
   * destructive, so nothing but those that are marked read-only is run by default.
   *
   * A function is asked once for each operation, when it begins to be served, and says `true`. Names must be those of
   * operations that are there at the start; a function decides also about those that are added while it is served.
   */
  readonly allow?: ReadonlyArray<string> | ((endpoint: AnyEndpoint) => boolean)
}

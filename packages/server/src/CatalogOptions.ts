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
   * A function says `true` of what is allowed. It is asked whenever what is served changes, and must say the same of the
   * same contract. Names must be those of operations that are there at the start; a function decides also about those
   * that are added later.
   */
  readonly allow?: ReadonlyArray<string> | ((endpoint: AnyEndpoint) => boolean)
}

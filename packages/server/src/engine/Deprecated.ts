/**
 * What the specification is about to drop: each is served as before, and the author is warned once for each served thing
 * (DEPR-02).
 */
import type { Admitted } from "../envelope/Admitted.ts"

const warnings = {
  sampling: "asks for sampling. Call a model of your own instead.",
  includeContext: "asks for sampling with includeContext. Put what the model needs into the messages.",
  roots: "asks for roots. Take folders as arguments instead.",
  logging: "sends log messages to its client. Log on the server, and tell the client in the result."
} as const

/** What is deprecated. */
export type Deprecated = keyof typeof warnings

/** Says that something deprecated is used. @param by whose request does */
export type Deprecations = (what: Deprecated, by: Admitted) => void

/** @param warn logs a sentence */
export const makeDeprecations = (warn: (text: string) => void): Deprecations => {
  const said = new Set<Deprecated>()
  return (what, { subject }) => {
    if (said.has(what)) return
    said.add(what)
    warn(`${subject} ${warnings[what]} SEP-2577 deprecates it with 2026-07-28; earliest removal 2027-07-28.`)
  }
}

/** The neutral model as it stands on the wire. */
import * as Result from "effect/Result"
import type { Revision } from "./Revision.ts"

/** The revision of 2026-07-28. */
export const v2026_07_28: Revision = {
  version: "2026-07-28",
  era: "native",
  batches: false,
  polls: false,
  structured: true,
  able: (declared) => declared,
  form: Result.succeed,
  block: (block) => block,
  rewrites: false
}

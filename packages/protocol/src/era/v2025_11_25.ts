/** The newest revision with a handshake; results do not say what they are, nor how long they stay fresh. */
import { isRecord, own, type JsonObject } from "../json/index.ts"
import type { Revision } from "./Revision.ts"
import { v2026_07_28 } from "./v2026_07_28.ts"

/** The parts of a capability that are declared, without their settings. */
const parts = <P extends string>(capability: JsonObject, names: ReadonlyArray<P>): { readonly [N in P]?: {} } => {
  const declared: { [N in P]?: {} } = {}
  for (const name of names) if (isRecord(own(capability, name))) declared[name] = {}
  return declared
}

export const v2025_11_25: Revision = {
  ...v2026_07_28,
  version: "2025-11-25",
  era: "compat",
  polls: true,
  able: ({ elicitation, roots, sampling }) => ({
    ...(isRecord(elicitation) ? { elicitation: parts(elicitation, ["form", "url"]) } : {}),
    ...(isRecord(roots) ? { roots: {} } : {}),
    ...(isRecord(sampling) ? { sampling: parts(sampling, ["tools", "context"]) } : {})
  })
}

/**
 * Whether a client declared what a question needs (MRTR-05, ELIC-01, ELIC-02, SAMP-02, ROOT-01).
 */
import { isRecord, own, type JsonObject } from "@treadle/protocol/json"
import type { ClientCapabilities } from "@treadle/protocol/schema"

const has = (declared: unknown, name: string, part: string): boolean => {
  const capability = own(declared, name)
  if (!isRecord(capability)) return false
  // An empty declaration, from before there were modes, means forms.
  if (name === "elicitation" && part === "form" && own(capability, "url") === undefined) return true
  return isRecord(own(capability, part))
}

/** The part of what is required that a client did not declare, or `undefined` where it declared all of it. */
export const missingPart = (requires: JsonObject, declared: ClientCapabilities): JsonObject | undefined => {
  for (const [name, parts] of Object.entries(requires)) {
    if (!isRecord(own(declared, name))) return { [name]: parts }
    for (const part of Object.keys(isRecord(parts) ? parts : {})) {
      if (!has(declared, name, part)) return { [name]: { [part]: {} } }
    }
  }
  return undefined
}

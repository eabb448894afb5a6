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

/** What people call the capabilities that are asked for. */
const nouns = new Map([
  ["elicitation.form", "a form"],
  ["elicitation.url", "a page to visit"],
  ["sampling", "a model"],
  ["sampling.tools", "a model with tools"],
  ["sampling.context", "a model with context"],
  ["roots", "folders"]
])

/** What a client lacks, in words; its capabilities are named in the form `elicitation.form`. */
export const lacking = (missing: JsonObject): string => {
  const paths = Object.entries(missing).flatMap(([name, parts]) => {
    const inner = Object.keys(isRecord(parts) ? parts : {})
    return inner.length === 0 ? [name] : inner.map((part) => `${name}.${part}`)
  })
  const wanted = paths.map((path) => nouns.get(path) ?? path).join(" and ")
  return `${wanted}, which this client does not offer (${paths.join(", ")})`
}

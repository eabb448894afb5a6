/** Every revision by its date. */
import { isProtocolVersion, type ProtocolVersion } from "./ProtocolVersion.ts"
import type { Revision } from "./Revision.ts"
import { v2024_11_05 } from "./v2024_11_05.ts"
import { v2025_03_26 } from "./v2025_03_26.ts"
import { v2025_06_18 } from "./v2025_06_18.ts"
import { v2025_11_25 } from "./v2025_11_25.ts"
import { v2026_07_28 } from "./v2026_07_28.ts"

const table: { readonly [V in ProtocolVersion]: Revision } = {
  "2026-07-28": v2026_07_28,
  "2025-11-25": v2025_11_25,
  "2025-06-18": v2025_06_18,
  "2025-03-26": v2025_03_26,
  "2024-11-05": v2024_11_05
}

/** The revision of this date, or `undefined` where this library does not know it. */
export const revisionOf = (version: string): Revision | undefined =>
  isProtocolVersion(version) ? table[version] : undefined

/** The revision that a handshake settles on: the one asked for where it is a compat one, else the newest of them. */
export const negotiated = (requested: string): Revision => {
  const revision = revisionOf(requested)
  return revision?.era === "compat" ? revision : v2025_11_25
}

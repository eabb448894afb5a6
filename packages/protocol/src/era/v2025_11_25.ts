/** The newest revision with a handshake; results do not say what they are, nor how long they stay fresh. */
import type { Revision } from "./Revision.ts"
import { v2026_07_28 } from "./v2026_07_28.ts"

export const v2025_11_25: Revision = { ...v2026_07_28, version: "2025-11-25", era: "compat", polls: true }

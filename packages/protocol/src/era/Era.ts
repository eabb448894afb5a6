/**
 * The two ways MCP is spoken: `native`, stateless with `_meta` on every request (2026-07-28 and later; the specification
 * says modern), and `compat`, with a handshake (2025-11-25 and older; the specification says legacy).
 */
import { latestNative } from "./ProtocolVersion.ts"

/** One of the two ways. */
export type Era = "native" | "compat"

/** The era of a dated revision; revisions sort as text. */
export const eraOf = (version: string): Era => (version >= latestNative ? "native" : "compat")

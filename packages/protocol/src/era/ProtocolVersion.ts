/**
 * The dated revisions of MCP, oldest first.
 */

/** Every revision this library knows. */
export const protocolVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const

/** The date of a revision that this library knows. */
export type ProtocolVersion = (typeof protocolVersions)[number]

/** The revision to prefer in the native era. */
export const latestNative = "2026-07-28" satisfies ProtocolVersion

/** The revisions of the native era, newest first. */
export const nativeVersions: ReadonlyArray<ProtocolVersion> = [latestNative]

/** Whether this library knows a revision. */
export const isProtocolVersion = (version: string): version is ProtocolVersion =>
  (protocolVersions as ReadonlyArray<string>).includes(version)

export { eraOf, type Era } from "./Era.ts"
export { commonVersion } from "./Negotiate.ts"
export type { Revision } from "./Revision.ts"
export { negotiated, revisionOf } from "./revisions.ts"
export { v2026_07_28 } from "./v2026_07_28.ts"
export {
  isProtocolVersion,
  latestNative,
  nativeVersions,
  protocolVersions,
  type ProtocolVersion
} from "./ProtocolVersion.ts"

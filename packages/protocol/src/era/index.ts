export { eraOf, type Era } from "./Era.ts"
export { commonVersion } from "./Negotiate.ts"
export {
  isProtocolVersion,
  latestNative,
  nativeVersions,
  protocolVersions,
  type ProtocolVersion
} from "./ProtocolVersion.ts"

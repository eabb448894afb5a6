export { HeaderName } from "./HeaderName.ts"
export { decodeHeaderValue, encodeHeaderValue, trimHeaderValue } from "./HeaderValue.ts"
export { accepted, isEventStreamType, isJsonType, type Accepted } from "./MediaType.ts"
export { compareParams, mirrorParams, paramHeaders, type ParamHeader } from "./ParamHeaders.ts"

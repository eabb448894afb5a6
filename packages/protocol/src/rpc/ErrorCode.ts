/**
 * The JSON-RPC error numbers of MCP, by name. No other file writes one.
 */

/** Name to number (ERR-01, ERR-07 to ERR-10). `ResourceNotFound` and `UrlElicitationRequired` exist in compat only. */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  ResourceNotFound: -32002,
  HeaderMismatch: -32020,
  MissingClientCapability: -32021,
  UnsupportedVersion: -32022,
  UrlElicitationRequired: -32042
} as const

/** The name of an error of MCP. */
export type ErrorName = keyof typeof ErrorCode
/** The number of an error of MCP. */
export type ErrorCode = (typeof ErrorCode)[ErrorName]

const names = new Map<number, ErrorName>(
  (Object.keys(ErrorCode) as ReadonlyArray<ErrorName>).map((name) => [ErrorCode[name], name])
)

/** The name of a number, or `undefined` where MCP gives it none. */
export const errorName = (code: number): ErrorName | undefined => names.get(code)

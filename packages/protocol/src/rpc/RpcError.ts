/**
 * Errors as they cross the wire. The tag says which of MCP's errors it is; a code that MCP does not name, or one whose
 * data is not what the specification demands, stays readable as `Other`.
 */
import * as Result from "effect/Result"
import { isRecord, own, type Json, type JsonObject } from "../json/index.ts"
import { ErrorCode, errorName, type ErrorName } from "./ErrorCode.ts"

interface Base<Tag extends string> {
  readonly _tag: Tag
  readonly code: number
  readonly message: string
  readonly data?: Json
}

type Simple = Exclude<ErrorName, "MissingClientCapability" | "UnsupportedVersion" | "UrlElicitationRequired">

/** An error that a peer sent or is to be sent. */
export type RpcError =
  | { [N in Simple]: Base<N> }[Simple]
  | (Base<"MissingClientCapability"> & { readonly data: { readonly requiredCapabilities: JsonObject } })
  | (Base<"UnsupportedVersion"> & {
      readonly data: { readonly supported: ReadonlyArray<string>; readonly requested: string }
    })
  | (Base<"UrlElicitationRequired"> & { readonly data: { readonly elicitations: ReadonlyArray<Json> } })
  | Base<"Other">

const simple =
  <N extends Simple>(name: N) =>
  (message: string, data?: Json): Base<N> =>
    data === undefined
      ? { _tag: name, code: ErrorCode[name], message }
      : { _tag: name, code: ErrorCode[name], message, data }

const hasDataOf = (name: ErrorName, data: unknown): boolean => {
  switch (name) {
    case "MissingClientCapability":
      return isRecord(own(data, "requiredCapabilities"))
    case "UnsupportedVersion": {
      const supported = own(data, "supported")
      return (
        Array.isArray(supported) &&
        supported.every((version) => typeof version === "string") &&
        typeof own(data, "requested") === "string"
      )
    }
    case "UrlElicitationRequired":
      return Array.isArray(own(data, "elicitations"))
    default:
      return true
  }
}

/**
 * Reads the `error` member of a response.
 *
 * @returns the error, or a sentence that says why it is none
 */
const decode = (value: unknown): Result.Result<RpcError, string> => {
  const code = own(value, "code")
  const message = own(value, "message")
  if (!Number.isSafeInteger(code)) return Result.fail(`"error.code" must be an integer`)
  if (typeof message !== "string") return Result.fail(`"error.message" must be a string`)
  const data = own(value, "data") as Json | undefined
  const name = errorName(code as number)
  const tag = name !== undefined && hasDataOf(name, data) ? name : "Other"
  return Result.succeed({ _tag: tag, code, message, ...(data === undefined ? {} : { data }) } as RpcError)
}

/** The JSON of an error. */
const encode = (error: RpcError): JsonObject => ({
  code: error.code,
  message: error.message,
  ...(error.data === undefined ? {} : { data: error.data as Json })
})

/** Constructors and codecs of errors. */
export const RpcError = {
  parseError: simple("ParseError"),
  invalidRequest: simple("InvalidRequest"),
  methodNotFound: simple("MethodNotFound"),
  invalidParams: simple("InvalidParams"),
  internal: simple("InternalError"),
  headerMismatch: simple("HeaderMismatch"),
  /** Compat only; natively an unknown URI is `invalidParams` (RES-04). */
  resourceNotFound: simple("ResourceNotFound"),
  /** @param requiredCapabilities the missing part of the client's capabilities (META-08) */
  missingCapability: (message: string, requiredCapabilities: JsonObject): RpcError => ({
    _tag: "MissingClientCapability",
    code: ErrorCode.MissingClientCapability,
    message,
    data: { requiredCapabilities }
  }),
  /** The answer to a version that is not served (VER-01). */
  unsupportedVersion: (requested: string, supported: ReadonlyArray<string>): RpcError => ({
    _tag: "UnsupportedVersion",
    code: ErrorCode.UnsupportedVersion,
    message: `Protocol version ${JSON.stringify(requested)} is not served; use one of ${supported.join(", ")}`,
    data: { supported, requested }
  }),
  /** Compat only: pages to visit before the request is sent again. @param elicitations parameters of `elicitation/create` */
  urlElicitationRequired: (message: string, elicitations: ReadonlyArray<Json>): RpcError => ({
    _tag: "UrlElicitationRequired",
    code: ErrorCode.UrlElicitationRequired,
    message,
    data: { elicitations }
  }),
  /** An error of an application's own; its code should lie outside -32768 to -32000 (ERR-12). */
  other: (code: number, message: string, data?: Json): RpcError => ({
    _tag: "Other",
    code,
    message,
    ...(data === undefined ? {} : { data })
  }),
  decode,
  encode
}

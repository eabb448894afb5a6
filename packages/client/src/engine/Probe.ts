/**
 * The first request of a session, `server/discover`, and what its outcome says about the server's era (D18).
 *
 * Only evidence decides: an outage, a missing token or a proxy's refusal is an error of its own and no verdict.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { commonVersion, eraOf, latestNative, nativeVersions } from "@treadle/protocol/era"
import { own } from "@treadle/protocol/json"
import { ErrorCode } from "@treadle/protocol/rpc"
import { ClientRequest, ServerResult, type DiscoverResult } from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../McpError.ts"
import type { ClientEngine } from "./ClientEngine.ts"
import { withDeadline } from "./Deadline.ts"

/** What a server turned out to speak. */
export type Verdict =
  | { readonly _tag: "Native"; readonly version: string; readonly discovered: DiscoverResult }
  /** It speaks only revisions that begin with `initialize`; `versions` where it named them. */
  | { readonly _tag: "Legacy"; readonly why: string; readonly versions: ReadonlyArray<string> }

const request = ClientRequest.discover()

const refusals = new Set([401, 403, 407, 408, 429])

/** Whether a status speaks of the way to the server, or of its health, and not of what it understands. */
const saysNothing = (status: number): boolean => status >= 500 || refusals.has(status)

/** A verdict on the versions that a server lists, none of which is ours. */
const strangers = (engine: ClientEngine, versions: ReadonlyArray<string>): Effect.Effect<Verdict, McpError> => {
  const named = versions.join(", ")
  if (versions.length > 0 && versions.every((version) => eraOf(version) === "compat")) {
    return Effect.succeed({ _tag: "Legacy", why: `it lists ${named}`, versions })
  }
  const what = `the server speaks ${named || "no version"}; this client speaks ${nativeVersions.join(", ")}`
  return Effect.fail(engine.error(request, new McpReason.NotOffered({ what })))
}

const discovered = (engine: ClientEngine, result: unknown): Effect.Effect<Verdict, McpError> => {
  const decoded = ServerResult.decode("server/discover", result)
  if (Result.isFailure(decoded)) {
    const { problems } = decoded.failure
    return Effect.fail(engine.error(request, new McpReason.Undecodable({ what: "the result", problems })))
  }
  const version = commonVersion(nativeVersions, decoded.success.supportedVersions)
  return version === undefined
    ? strangers(engine, decoded.success.supportedVersions)
    : Effect.succeed({ _tag: "Native", version, discovered: decoded.success })
}

/** The modern errors prove a modern server only with the data that the specification demands (ERA-04). */
const isModern = ({ code, data }: InstanceType<typeof McpReason.Rpc>): boolean =>
  code === ErrorCode.HeaderMismatch ||
  (code === ErrorCode.MissingClientCapability && own(data, "requiredCapabilities") !== undefined)

/** The verdict on a probe that failed; an outcome without evidence stays the error it is. */
const verdictOn = (engine: ClientEngine, error: McpError): Effect.Effect<Verdict, McpError> => {
  const { reason } = error
  const legacy = (why: string): Effect.Effect<Verdict> => Effect.succeed({ _tag: "Legacy", why, versions: [] })
  switch (reason._tag) {
    case "Rpc":
      if (reason.status !== undefined && saysNothing(reason.status)) return Effect.fail(error)
      return isModern(reason)
        ? Effect.fail(error)
        : legacy(`it answered ${reason.code}, ${JSON.stringify(reason.message)}`)
    case "Transport":
      return reason.status === undefined || reason.status < 400 || saysNothing(reason.status)
        ? Effect.fail(error)
        : legacy(reason.message)
    case "TimedOut":
      return engine.kind === "http"
        ? Effect.fail(error)
        : legacy(`no answer within ${reason.after} ms; a slow start needs a longer "probeTimeout"`)
    default:
      return Effect.fail(error)
  }
}

/** The versions that an unsupported-version error lists, where this is one. */
const supportedIn = (error: McpError): ReadonlyArray<string> | undefined => {
  const { reason } = error
  if (reason._tag !== "Rpc" || reason.code !== ErrorCode.UnsupportedVersion) return undefined
  if (reason.status !== undefined && saysNothing(reason.status)) return undefined
  const supported = own(reason.data, "supported")
  return Array.isArray(supported) ? supported.filter((version) => typeof version === "string") : undefined
}

/**
 * Asks a server what it speaks. A version that the server refuses is corrected once (VER-02, ERA-18).
 *
 * @param engine the way to the server
 * @param after how long to wait for each answer, in milliseconds
 */
export const probe = (engine: ClientEngine, after: number): Effect.Effect<Verdict, McpError> => {
  const ask = (version: string): Effect.Effect<Verdict, McpError> => {
    const expired = () => engine.error(request, new McpReason.TimedOut({ after, method: request.method }))
    return Effect.flatMap(
      withDeadline(after, (giveUp) => engine.exchange(version, request, { giveUp }), expired),
      ({ result }) => discovered(engine, result)
    )
  }
  const settle = (error: McpError) => verdictOn(engine, error)
  return Effect.catch(ask(latestNative), (error) => {
    const supported = supportedIn(error)
    if (supported === undefined) return settle(error)
    const version = commonVersion(nativeVersions, supported)
    return version === undefined ? strangers(engine, supported) : ask(version)
  })
}

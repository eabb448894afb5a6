/**
 * `server/discover` as the first request of a link, and what its outcome says about the server's era.
 *
 * Only evidence decides: an outage, a missing token or a proxy's refusal is an error of its own and no verdict.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { commonVersion, eraOf, latestNative, nativeVersions } from "@treadle/protocol/era"
import { own } from "@treadle/protocol/json"
import { ErrorCode } from "@treadle/protocol/rpc"
import { ClientRequest, ServerResult } from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../../McpError.ts"
import { agreedNatively, type Agreed } from "./Agreed.ts"
import type { ClientEngine } from "../ClientEngine.ts"
import { supportedIn } from "./Handshake.ts"

/** What a server turned out to speak. */
export type Verdict =
  | { readonly _tag: "Native"; readonly agreed: Agreed }
  /** It speaks only revisions that begin with `initialize`. */
  | { readonly _tag: "Compat"; readonly why: string }

const request = ClientRequest.discover()

const refusals = new Set([401, 403, 407, 408, 429])

/** Whether a status speaks of the way to the server, or of its health, and not of what it understands. */
const saysNothing = (status: number): boolean => status >= 500 || refusals.has(status)

/** Whether a failure is an answer of the server itself, and so says something of what it understands. */
export const saysOfEra = ({ reason }: McpError): boolean => {
  if (reason._tag === "Rpc") return reason.status === undefined || !saysNothing(reason.status)
  return (
    reason._tag === "Transport" && reason.status !== undefined && reason.status >= 400 && !saysNothing(reason.status)
  )
}

/** A verdict on the versions that a server lists, none of which is one of our native ones. */
const strangers = (engine: ClientEngine, versions: ReadonlyArray<string>): Effect.Effect<Verdict, McpError> => {
  const named = versions.join(", ")
  if (versions.length > 0 && versions.every((version) => eraOf(version) === "compat")) {
    return Effect.succeed({ _tag: "Compat", why: `it lists ${named}` })
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
    : Effect.succeed({ _tag: "Native", agreed: agreedNatively(version, decoded.success) })
}

/** The modern errors prove a modern server only with the data that the specification demands (ERA-04). */
const isModern = ({ code, data }: InstanceType<typeof McpReason.Rpc>): boolean =>
  code === ErrorCode.HeaderMismatch ||
  (code === ErrorCode.MissingClientCapability && own(data, "requiredCapabilities") !== undefined)

/** The verdict on a probe that failed; an outcome without evidence stays the error it is. */
const verdictOn = (error: McpError): Effect.Effect<Verdict, McpError> => {
  const { reason } = error
  if (!saysOfEra(error) || (reason._tag === "Rpc" && isModern(reason))) return Effect.fail(error)
  const said = reason._tag === "Rpc" ? `${reason.code}, ${JSON.stringify(reason.message)}` : reason.message
  return Effect.succeed({ _tag: "Compat", why: `it answered server/discover with ${said}` })
}

/** Whether a server does not speak the version that it was asked in. */
const isUnsupported = ({ reason }: McpError): boolean =>
  reason._tag === "Rpc" &&
  reason.code === ErrorCode.UnsupportedVersion &&
  (reason.status === undefined || !saysNothing(reason.status))

/** Asks a server what it speaks. A version that the server refuses is corrected once (VER-02, ERA-18). */
export const probe = (engine: ClientEngine): Effect.Effect<Verdict, McpError> => {
  const ask = (version: string): Effect.Effect<Verdict, McpError> =>
    Effect.suspend(() => {
      engine.speak({ era: "native", version })
      return Effect.flatMap(engine.exchange(request), ({ result }) => discovered(engine, result))
    })
  return Effect.catch(ask(latestNative), (error) => {
    const supported = isUnsupported(error) ? supportedIn(error) : undefined
    if (supported === undefined) return verdictOn(error)
    const version = commonVersion(nativeVersions, supported)
    return version === undefined ? strangers(engine, supported) : ask(version)
  })
}

/**
 * The handshake of the compat era: `initialize`, then `notifications/initialized` before anything else (INIT-01 to
 * INIT-06).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { commonVersion, eraOf, protocolVersions, type ProtocolVersion } from "@treadle/protocol/era"
import { own } from "@treadle/protocol/json"
import { Message } from "@treadle/protocol/rpc"
import { ClientRequest, ServerResult } from "@treadle/protocol/schema"
import { McpError, McpReason } from "../../McpError.ts"
import type { CompatSession, Transport } from "../../transport/Transport.ts"
import { agreedByHandshake, type Agreed } from "./Agreed.ts"
import type { ClientEngine } from "../ClientEngine.ts"
import type { Sender } from "./Envelope.ts"

/** The revisions with a handshake, newest first. */
export const compatVersions: ReadonlyArray<ProtocolVersion> = protocolVersions
  .filter((version) => eraOf(version) === "compat")
  .toReversed()

/** The versions that a server names which refuses the one that was offered; nothing where it names none. */
export const supportedIn = ({ reason }: McpError): ReadonlyArray<string> | undefined => {
  const supported = reason._tag === "Rpc" ? own(reason.data, "supported") : undefined
  return Array.isArray(supported) ? supported.filter((version) => typeof version === "string") : undefined
}

const initialized = "notifications/initialized"

/** How long the end of a session may take, in milliseconds. */
const endPatience = 1000

/** Ends a compat session at the server; whatever it answers, it is over (CHTTP-19). */
export const endSession = (transport: Transport, session: CompatSession): Effect.Effect<void> =>
  transport.end === undefined
    ? Effect.void
    : Effect.callback<void>((resume) => transport.end?.(session, () => resume(Effect.void))).pipe(
        Effect.timeoutOption(endPatience),
        Effect.asVoid
      )

/**
 * Opens a compat session.
 *
 * @param offered the revision to offer
 * @param accepted the revisions that may be answered
 */
export const handshake = (
  engine: ClientEngine,
  sender: Sender,
  offered: ProtocolVersion,
  accepted: ReadonlyArray<ProtocolVersion>
): Effect.Effect<Agreed, McpError> =>
  Effect.gen(function* () {
    const initialize = (protocolVersion: string) =>
      ClientRequest.initialize({ protocolVersion, capabilities: sender.capabilities.compat, clientInfo: sender.client })
    const request = initialize(offered)
    const fail = (reason: McpReason) => Effect.fail(engine.error(request, reason))

    engine.speak({ era: "compat" })
    const arrived = yield* Effect.catch(engine.exchange(request), (error) => {
      const other = commonVersion(accepted, supportedIn(error) ?? [])
      return other === undefined || other === offered ? Effect.fail(error) : engine.exchange(initialize(other))
    })
    const { session: id } = arrived
    const settled = Effect.gen(function* () {
      const decoded = ServerResult.decode("initialize", arrived.result)
      if (Result.isFailure(decoded)) {
        return yield* fail(new McpReason.Undecodable({ what: "the result", problems: decoded.failure.problems }))
      }
      const { protocolVersion } = decoded.success
      if (!accepted.some((version) => version === protocolVersion)) {
        const what = `the server answered with revision ${JSON.stringify(protocolVersion)}; this client takes ${accepted.join(", ")}`
        return yield* fail(new McpReason.NotOffered({ what }))
      }
      const agreed = agreedByHandshake(decoded.success, id)
      engine.speak({ era: "compat", ...(agreed.session === undefined ? {} : { session: agreed.session }) })
      yield* Effect.mapError(
        engine.post(Message.notification(initialized)),
        (reason) => new McpError({ reason, method: initialized, server: engine.server })
      )
      return agreed
    })
    // A session that comes to nothing is not left behind at the server.
    return yield* Effect.onError(settled, () =>
      id === undefined ? Effect.void : endSession(engine.transport, { version: offered, id })
    )
  })

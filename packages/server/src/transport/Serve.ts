/**
 * The one function that every transport calls: decode, climb the ladder, run the engine. Only reading bytes and writing
 * them differ between transports.
 */
import * as Result from "effect/Result"
import { HeaderName } from "@treadle/protocol/http"
import { isRecord, own } from "@treadle/protocol/json"
import {
  isRequestId,
  Message,
  RpcError,
  type ErrorMessage,
  type Notification,
  type Request,
  type ResultMessage
} from "@treadle/protocol/rpc"
import { Admitted, type Offered } from "../envelope/Admitted.ts"
import { saysNative } from "../envelope/Classify.ts"
import type { Inbound } from "../envelope/Inbound.ts"
import type { SessionLookup } from "../envelope/SessionFacts.ts"
import { climb } from "../envelope/Ladder.ts"
import { serverStopping, sessionEnded, type Refusal } from "../envelope/Refusal.ts"
import { refused } from "../engine/Answers.ts"
import type { Engine } from "../engine/Engine.ts"
import type { InFlight } from "../engine/InFlight.ts"
import type { OpenAsks } from "../engine/asking/OpenAsks.ts"
import type { Sink } from "../engine/Sink.ts"
import type { Limits } from "../Limits.ts"
import { serveBatch } from "./Batch.ts"
import type { Outcome, Serve } from "./Outcome.ts"

export interface ServeParts {
  readonly engine: Engine
  readonly inFlight: InFlight
  /** The questions that answers may belong to. */
  readonly asks: OpenAsks
  readonly offered: Offered
  readonly limits: Pick<Limits, "nesting">
  readonly isStopping: () => boolean
}

/** The session that a notification belongs to; natively over HTTP, as its header says, to none (HTTP-09, CHTTP-17). */
const sessionOf = (inbound: Inbound, offered: Offered): SessionLookup =>
  inbound.http !== undefined && saysNative(inbound.http.header(HeaderName.version))
    ? "not-named"
    : offered.session(inbound)

/** Whether a handshake settled on the revision that has batches; a request that stands alone never does. */
const takesBatches = (session: SessionLookup): boolean =>
  typeof session === "object" && session.revision.batches && !session.standsAlone

const ended: Refusal = {
  rung: "session-known",
  error: sessionEnded
}

/** Whether a value means to be a notification, however faulty it is: then a pipe, which has no status, says nothing. */
const isNotification = (value: unknown): boolean =>
  isRecord(value) && value["jsonrpc"] === "2.0" && typeof value["method"] === "string" && !Object.hasOwn(value, "id")

export const makeServe = ({ asks, engine, inFlight, isStopping, limits, offered }: ServeParts): Serve => {
  const refuse = (sink: Sink, refusal: Refusal): Outcome => {
    sink.answer(refused(refusal))
    return undefined
  }

  /** A pipe and a session cancel by notification; natively over HTTP the disconnect does (HTTP-09, CANCEL-02). */
  const notified = (inbound: Inbound, notification: Notification, sink: Sink): Outcome => {
    const session = sessionOf(inbound, offered)
    if (session === "unknown") return refuse(sink, ended)
    const id = own(notification.params, "requestId")
    if (notification.method !== "notifications/cancelled" || !isRequestId(id)) return "accepted"
    const owner = typeof session === "object" ? session.owner : inbound.owner
    if (inbound.http === undefined || owner !== inbound.owner) inFlight.find(owner, id)?.cancel()
    return "accepted"
  }

  /** Only a session is asked by requests, so only a session answers any. */
  const answered = (inbound: Inbound, answer: ResultMessage | ErrorMessage, sink: Sink): Outcome => {
    const session = sessionOf(inbound, offered)
    if (session === "unknown") return refuse(sink, ended)
    if (session === "not-named") {
      const error = RpcError.invalidRequest("Nothing was asked outside a session, so no answer is taken")
      return refuse(sink, { rung: "message", error })
    }
    asks.answer(session.owner, answer)
    return "accepted"
  }

  const requested = (inbound: Inbound, request: Request, sink: Sink): Outcome => {
    const candidate = new Admitted(inbound, request, offered)
    const refusal = climb(candidate)
    if (refusal !== undefined) return refuse(sink, refusal)
    if (isStopping()) {
      return refuse(sink, { rung: "stopping", error: serverStopping, id: request.id })
    }
    if (inbound.http === undefined && inFlight.find(inbound.owner, request.id) !== undefined) {
      const error = RpcError.invalidRequest(`The id ${JSON.stringify(request.id)} belongs to a request that still runs`)
      return refuse(sink, { rung: "id-free", error })
    }
    return engine.start(candidate, sink)
  }

  const one: Serve = (inbound, sink) => {
    const decoded = Message.decode(inbound.value, limits.nesting)
    if (Result.isFailure(decoded)) {
      return inbound.http === undefined && isNotification(inbound.value)
        ? "accepted"
        : refuse(sink, { rung: "message", ...decoded.failure })
    }
    const message = decoded.success
    switch (message._tag) {
      case "Request":
        return requested(inbound, message, sink)
      case "Notification":
        return notified(inbound, message, sink)
      default:
        return answered(inbound, message, sink)
    }
  }

  return (inbound, sink) => {
    if (!Array.isArray(inbound.value)) return one(inbound, sink)
    const session = sessionOf(inbound, offered)
    if (session === "unknown") return refuse(sink, ended)
    return takesBatches(session) ? serveBatch(one, inbound, inbound.value, sink) : one(inbound, sink)
  }
}

/**
 * A stream that a client holds open to be told things: nothing of the author's runs on it, and it takes no answer. It
 * lasts as long as its connection, and ends when the server stops.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Message, RpcError } from "@treadle/protocol/rpc"
import { Admitted, type Offered } from "../../envelope/Admitted.ts"
import type { Inbound } from "../../envelope/Inbound.ts"
import { serverStopping, type Refusal } from "../../envelope/Refusal.ts"
import type { SessionFacts } from "../../envelope/SessionFacts.ts"
import type { Limits } from "../../Limits.ts"
import { internalError } from "../../reply/ErrorReply.ts"
import type { InFlight } from "../InFlight.ts"
import type { Running } from "../methods/Row.ts"
import type { Run } from "../Runner.ts"
import type { RunningCall } from "../RunningCall.ts"
import type { Sink } from "../Sink.ts"

/** Begins to tell. @returns stops it */
export type Attach = (tell: (text: string) => void) => () => void

const listening = (attach: Attach): Running => ({
  name: "a stream",
  kind: "stream",
  effect: (call) => Effect.callback<never>(() => Effect.sync(attach((text) => call.tell(text)))),
  services: Context.empty(),
  timeout: undefined,
  died: internalError
})

/** Where an answer would go, the stream just ends. */
const silent = (sink: Sink): Sink => {
  const end = () => sink.abandon()
  return {
    post: (text) => sink.post(text),
    full: () => sink.full(),
    room: sink.room,
    answer: end,
    abandon: end,
    tick: (now, since) => sink.tick(now, since)
  }
}

const stopping: Refusal = { rung: "stopping", error: serverStopping }

export interface HoldParts {
  readonly run: Run
  readonly inFlight: InFlight
  readonly limits: Limits
  readonly offered: Offered
  readonly isStopping: () => boolean
}

/**
 * Holds a stream open for a request, of a session where there is one. One stream too many ends the oldest of its session,
 * which a client that comes back may have lost without a word; whoever has no session is refused.
 */
export type Hold = (inbound: Inbound, sink: Sink, attach: Attach, session?: SessionFacts) => RunningCall | Refusal

export const makeHold =
  ({ inFlight, isStopping, limits, offered, run }: HoldParts): Hold =>
  (inbound, sink, attach, session) => {
    if (isStopping()) return stopping
    const request = new Admitted(inbound, Message.request("", "a stream"), offered)
    request.session = session
    request.revision = session?.revision ?? request.revision
    const open = inFlight.of(request.owner).filter(({ kind }) => kind === "stream")
    if (open.length >= limits.listeners) {
      const oldest = session === undefined ? undefined : open[0]
      if (oldest === undefined) {
        const error = RpcError.internal(`${limits.listeners} streams are open already; close one of them`)
        return { rung: "calls", error }
      }
      oldest.end("cancelled")
    }
    return run(request, silent(sink), listening(attach)) ?? stopping
  }

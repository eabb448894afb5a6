/**
 * What a transport hands over a message to, and what it hears of it.
 */
import type { Inbound } from "../envelope/Inbound.ts"
import type { RunningCall } from "../engine/RunningCall.ts"
import type { Sink } from "../engine/Sink.ts"

/** What became of a message. */
export type Outcome =
  /** It is answered, or it needs no answer. */
  | undefined
  /** A notification: HTTP says 202. */
  | "accepted"
  /** Its handler runs. */
  | RunningCall

export type Serve = (inbound: Inbound, sink: Sink) => Outcome

/**
 * The door of the same process: messages instead of bytes, through the same checks, the same engine and the same printed
 * answers as any other door.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DirectPeer, DirectSink } from "@treadle/protocol/framing"
import { Message, RpcError, type Notification, type Request } from "@treadle/protocol/rpc"
import { refused } from "./engine/Answers.ts"
import type { Answer, Sink } from "./engine/Sink.ts"
import type { Inbound } from "./envelope/Inbound.ts"
import type { Served } from "./Served.ts"

const read = (text: string): Message => {
  const decoded = Message.decode(JSON.parse(text))
  return Result.isSuccess(decoded)
    ? decoded.success
    : Message.error(undefined, RpcError.internal(decoded.failure.error.message))
}

/** A sink that hands over messages read back from what was printed. */
export const messageSink = (sink: DirectSink): Sink => ({
  post: (text) => {
    sink.notify(read(text) as Notification)
    return true
  },
  full: () => false,
  room: Effect.void,
  mute: true,
  answer: ({ text, cause }: Answer) => sink.answer(read(text), cause),
  abandon: () => {},
  tick: () => {}
})

/** A message of the same process, with nothing beside it. */
export const directInbound = (message: Message, given: Pick<Inbound, "context" | "principal" | "owner">): Inbound => ({
  ...given,
  value: Message.encode(message),
  http: undefined,
  overHttp: false,
  services: undefined
})

let peers = 0

/** One client of a served thing in the same process. */
export const directPeer = (served: Served, context: unknown): DirectPeer => {
  const owner = `direct:${++peers}`
  const { principal, refusal } = served.identify(context)
  return {
    request: (request: Request, sink: DirectSink) => {
      const messages = messageSink(sink)
      if (refusal !== undefined) {
        messages.answer(refused({ ...refusal, id: request.id }))
        return () => {}
      }
      const outcome = served.serve(directInbound(request, { context, principal, owner }), messages)
      return () => {
        if (typeof outcome === "object") outcome.cancel("gone")
      }
    }
  }
}

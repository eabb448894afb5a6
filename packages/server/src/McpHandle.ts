/**
 * One native message in, one answer out, no transport.
 */
import * as Effect from "effect/Effect"
import type { Message } from "@treadle/protocol/rpc"
import { refused } from "./engine/Answers.ts"
import { directInbound, messageSink } from "./McpDirect.ts"
import type { Served } from "./Served.ts"

/**
 * Answers a message.
 *
 * Interruption ends the call. Notifications of the call are not seen here; serve it through a door to get them.
 */
export const handleMessage = (served: Served, message: Message, context: unknown): Effect.Effect<Message | undefined> =>
  Effect.callback<Message | undefined>((resume) => {
    const sink = messageSink({ notify: () => {}, answer: (answer) => resume(Effect.succeed(answer)) })
    const { principal, refusal } = served.identify(context)
    if (refusal !== undefined) return sink.answer(refused(refusal))
    const outcome = served.serve(directInbound(message, { context, principal, owner: "handle" }), sink)
    if (outcome === "accepted") return resume(Effect.undefined)
    if (outcome === undefined) return
    return Effect.sync(() => outcome.cancel("gone"))
  })

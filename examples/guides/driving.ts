/**
 * A program that drives an agent which is served somewhere.
 */
// #region drive
import { AgentMcp } from "@treadle/agent"
import type { McpSession } from "@treadle/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Starts a review, is woken by its end, and reads what it came to. */
export const reviewed = (session: McpSession, task: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { handle } = yield* session.call(AgentMcp.spawn)({ instruction: task, async: true })
      const state = session.call(AgentMcp.subagentStatus)({ handle })
      const changes = yield* Effect.result(session.watch({ uris: [`agent://subagent/${handle}`] }))
      // A run that has ended already cannot be subscribed to any more: then its state is there to be read.
      if (changes._tag === "Success" && !(yield* state).done) yield* Stream.runHead(changes.success)
      return (yield* state).result
    })
  )
// #endregion

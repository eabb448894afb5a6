/** Tools of servers for a language model of effect/ai. */
// #region model
import type { McpSession } from "@treadle/client"
import { McpToolkit } from "@treadle/client/toolkit"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"

/** @param sessions by the names of their servers: `mcp__kb__search` is the tool `search` of the server `kb` */
export const answer = (prompt: string, sessions: { readonly [server: string]: McpSession }) =>
  Effect.gen(function* () {
    const toolkit = yield* McpToolkit.fromSessions(sessions, {
      needsApproval: (tool) => tool.annotations?.readOnlyHint !== true
    })
    return yield* LanguageModel.generateText({ prompt, toolkit })
  })
// #endregion

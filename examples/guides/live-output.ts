/** What an agent does, while it does it. */
// #region live
import { streamAgent } from "@treadle/agent/promise"
import type { LanguageModel } from "effect/ai/LanguageModel"
import type { Layer } from "effect/Layer"
import { reviewer } from "./reviewer.ts"

export const watch = async (model: Layer<LanguageModel>, print: (text: string) => void) => {
  for await (const item of streamAgent(reviewer, "Review PR 7", { model })) {
    if (item._tag === "TextDelta") print(item.text)
    if (item._tag === "ToolCalled") print(`[${item.server}: ${item.tool}]\n`)
    if (item._tag === "Outcome") return item.outcome
  }
  return undefined
}
// #endregion live

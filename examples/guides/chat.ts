/** A conversation with an agent: its servers stay connected, its transcript stays. */
// #region chat
import { converse } from "@treadle/agent/promise"
import type { LanguageModel } from "effect/ai/LanguageModel"
import type { Layer } from "effect/Layer"
import { reviewer } from "./reviewer.ts"

export const chat = async (model: Layer<LanguageModel>) => {
  await using conversation = await converse(reviewer, { model })
  const first = await conversation.say("Review PR 7")
  const second = await conversation.say("And without the force push?")
  return [first.text, second.text]
}
// #endregion chat

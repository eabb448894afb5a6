/** A tool that adds tools, as an Effect. */
// #region learning
import { Live, Mcp, ToolFailed } from "@treadle/server"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { phrasebook } from "./phrases.ts"

export const learning = Mcp.make({ name: "learning", version: "1.0.0", live: { resources: true } }).tool(
  "learn",
  { description: "Learns to greet in a language", input: { language: Schema.String, hello: Schema.String } },
  ({ hello, language }) =>
    Live.replace(phrasebook(language, hello)).pipe(
      Effect.as(`I greet in ${language} now.`),
      Effect.mapError(({ message }) => new ToolFailed(message))
    )
)
// #endregion

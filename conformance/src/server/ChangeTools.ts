/**
 * Tools that tell those who listen of a change; the suite calls them while it listens, and asserts their names.
 */
import * as Effect from "effect/Effect"
import { Change, Mcp } from "@treadle/server"

export const changeTools = (tell: (change: Change) => void) =>
  Mcp.make({ name: "change-tools", version: "1.0.0" })
    .tool("test_trigger_tool_change", { description: "Tells of changed tools" }, () =>
      Effect.as(
        Effect.sync(() => tell(Change.tools)),
        "Told."
      )
    )
    .tool("test_trigger_prompt_change", { description: "Tells of changed prompts" }, () =>
      Effect.as(
        Effect.sync(() => tell(Change.prompts)),
        "Told."
      )
    )

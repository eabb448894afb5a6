/** Calls that take long: their callers are answered at once, and ask for the result later. */

// #region tasks
import { Mcp } from "@treadle/server"
import * as Schema from "effect/Schema"
import { setTimeout } from "node:timers/promises"

const chapters = ["The harbour", "The storm", "The island"]

export const press = Mcp.make({ name: "press", version: "1.0.0" }).tool(
  "print_book",
  {
    description: "Prints a book",
    input: { title: Schema.String },
    task: { ttl: 10 * 60_000, pollInterval: 500 }
  },
  async ({ title }, { progress, signal }) => {
    for (const [index, chapter] of chapters.entries()) {
      progress(index, chapters.length, `Printing ${chapter}`)
      await setTimeout(20, undefined, { signal })
    }
    return `${title} is printed`
  }
)
// #endregion

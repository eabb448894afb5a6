/** A library that lends books and reads their first lines, as `sdk-lending.ts` has it with the official SDK. */

// #region server
import { Ask, Mcp } from "@treadle/server"
import * as Schema from "effect/Schema"
import * as z from "zod"

const shelf = new Map([["Emma", "Emma Woodhouse, handsome, clever, and rich"]])

export const library = Mcp.make({ name: "library", version: "1.0.0" })
  .tool(
    "lend",
    {
      description: "Lends a book",
      input: z.object({ title: z.string() }),
      output: z.object({ days: z.number() }),
      hints: { destructive: false }
    },
    async ({ title }, { ask, fail, progress }) => {
      if (!shelf.has(title)) return fail(`There is no ${title}.`)
      progress(1, 2, "It is on the shelf")
      const answer = await ask("days", Ask.form({ message: "For how many days?", fields: { days: Schema.Int } }))
      return answer.action === "accept" ? { days: answer.content.days } : fail("Nothing was lent.")
    }
  )
  .template(
    { uriTemplate: "book://{title}", name: "book", mimeType: "text/plain", variables: { title: Schema.String } },
    async ({ title }) => shelf.get(title)
  )
// #endregion

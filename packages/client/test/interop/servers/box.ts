/**
 * The box office on Treadle, which speaks every revision.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ask, Change, Content, CurrentCall, Live, Mcp, Reply } from "@treadle/server"
import { getShow, hold, list, ping, ShowNotFound } from "../../endpoints.ts"

const board = "box://board"
const titles = ["Hamlet", "Henry V", "Faust"]
const plain = { description: "Tested" }

/** @param say writes on the errors output of the server */
export const box = (say: (text: string) => void) => {
  let touched = 0
  const encore = Mcp.make({ name: "encore", version: "1.0.0" }).tool("encore", plain, async () => "again")
  const grow = Live.add(encore).pipe(Effect.orDie, Effect.as("grown"))
  const touch = Effect.suspend(() => {
    touched++
    return Effect.as(Live.changed(Change.resource(board)), "touched")
  })
  const wait = Effect.sync(() => say("waiting")).pipe(
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => Effect.sync(() => say("aborted")))
  )
  return Mcp.make({ name: "box", version: "1.2.3" })
    .tool(getShow, ({ id }) =>
      id === 9 ? Effect.fail(new ShowNotFound({ id })) : Effect.succeed({ id, title: "Hämlet 😀" })
    )
    .tool(hold, async ({ show }, { fail }) => (show === 9 ? fail({ _tag: "SoldOut", left: 2 }) : [show, show + 1]))
    .tool(list, async ({ limit, status }) => `${limit} ${status ?? "any"}`)
    .tool(ping, async () => Reply.text(Content.text("pong")))
    .tool("steps", plain, () =>
      Effect.as(
        Effect.forEach([1, 2, 3], (done) => CurrentCall.progress(done, 3)),
        "walked"
      )
    )
    .tool("wait", plain, () => wait)
    .tool("ask", plain, async (_, { ask }) => {
      const answer = await ask("party", Ask.form({ message: "How many seats?", fields: { seats: Schema.Int } }))
      return answer.action === "accept" ? `${answer.content.seats} seats` : answer.action
    })
    .tool("grow", plain, () => grow)
    .tool("touch", plain, () => touch)
    .resource({ uri: board, name: "board", mimeType: "text/plain" }, async () => `board ${touched}`)
    .template({ uriTemplate: "box://shows/{id}", name: "show", mimeType: "text/plain" }, async ({ id }) => `show ${id}`)
    .prompt(
      "bill",
      {
        description: "Sells a show",
        arguments: { title: Schema.String },
        complete: { title: (typed) => titles.filter((title) => title.startsWith(typed)) }
      },
      async ({ title }) => `Sell ${title}`
    )
}

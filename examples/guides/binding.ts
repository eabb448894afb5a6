/** A call that asks first, and becomes a task then. */

// #region binding
import { Ask, CurrentCall, Mcp } from "@treadle/server"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const colour = Ask.form({ message: "Which colour?", fields: { colour: Schema.Literals(["red", "blue"]) } })
const title = Ask.form({ message: "What goes on the spine?", fields: { title: Schema.String } })

const bind = Effect.gen(function* () {
  // The caller waits for this answer, and may take the call back.
  const cloth = yield* CurrentCall.ask("cloth", colour)
  if (cloth.action !== "accept") return "Nothing was bound"
  yield* CurrentCall.startTask
  // From here on nothing runs twice, and questions wait with the task.
  yield* Effect.sleep("20 millis")
  const spine = yield* CurrentCall.ask("spine", title)
  return spine.action === "accept" ? `${spine.content.title}, in ${cloth.content.colour}` : "Bound without a title"
})

export const bindery = Mcp.make({ name: "bindery", version: "1.0.0" }).tool(
  "bind_book",
  { description: "Binds a book", task: { required: true, begins: "later" } },
  () => bind
)
// #endregion

/**
 * A press whose calls become tasks.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ask, CurrentCall, Mcp } from "@treadle/server"
import { getShow, ping, ShowNotFound } from "../../endpoints.ts"

const task = { pollInterval: 100 }
const name = Ask.form({ message: "Who is it for?", fields: { name: Schema.String } })

/** @param say writes on the errors output of the server */
export const press = (say: (text: string) => void) =>
  Mcp.make({ name: "press", version: "1.0.0" })
    .toolWith(getShow, { task }, ({ id }) =>
      Effect.andThen(
        Effect.sleep(20),
        id === 9 ? Effect.fail(new ShowNotFound({ id })) : Effect.succeed({ id, title: "Hämlet 😀" })
      )
    )
    .toolWith(ping, { task }, () =>
      Effect.gen(function* () {
        yield* CurrentCall.progress(1, 2, "inking")
        yield* Effect.sleep(300)
        const answer = yield* CurrentCall.ask("name", name)
        return answer.action === "accept" ? `printed for ${answer.content.name}` : answer.action
      })
    )
    .tool("wait", { description: "Waits", task }, () =>
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => say("aborted")))
    )

/** An Effect application that changes what it serves from a fiber of its own. */
// #region watcher
import { Live } from "@treadle/server"
import { McpRouter } from "@treadle/server/http-router"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { learning } from "./learning.ts"
import { phrasebook } from "./phrases.ts"

/** Whatever tells of languages: a folder, a queue. */
export class Languages extends Context.Service<
  Languages,
  { readonly next: Effect.Effect<{ readonly language: string; readonly hello: string }> }
>()("guides/Languages") {}

const watch = Languages.use(({ next }) =>
  Effect.forever(Effect.flatMap(next, ({ hello, language }) => Live.replace(phrasebook(language, hello))))
)

/** `McpRouter.layer` gives `Live` to whatever is provided with it. */
export const application = Layer.provideMerge(
  Layer.effectDiscard(Effect.forkScoped(watch)),
  McpRouter.layer(learning, { path: "/mcp" })
)
// #endregion

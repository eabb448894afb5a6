/** The same in a program: from any session, without the command. */
// #region contract-of
import { McpClient } from "@treadle/client"
import { contractOf } from "@treadle/client/typegen"
import * as Effect from "effect/Effect"

export const contractAt = (url: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const session = yield* McpClient.http(url)
      const { notes, text } = contractOf(yield* session.listTools(), { server: session.server?.name })
      for (const { message, path, tool } of notes) yield* Effect.logWarning(`${tool} ${path}: ${message}`)
      return text
    })
  )
// #endregion

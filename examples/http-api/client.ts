/** A typed client of the tools: it knows the api's own classes, those of its middleware included. */
// #region client
import { McpClient } from "@treadle/client"
import * as Effect from "effect/Effect"
import { tools } from "./server.ts"

const { get_show } = tools.contract

/** `Effect<string, McpError, Scope>`: what the operation and its middleware declare is all handled. */
export const title = (url: string, id: number, token: string) =>
  Effect.flatMap(McpClient.http(url, { headers: { authorization: `Bearer ${token}` } }), (session) =>
    session
      .call(get_show)({ id })
      .pipe(
        Effect.map((show) => show.title),
        Effect.catchTag("ShowNotFound", (error) => Effect.succeed(error.message)),
        Effect.catchTag("Unauthorized", () => Effect.succeed("Sign in first"))
      )
  )
// #endregion

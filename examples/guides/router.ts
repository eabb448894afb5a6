/** A route of an Effect HTTP application, with a service of each request. */
// #region router
import { Mcp } from "@treadle/server"
import { McpRouter, Refusal } from "@treadle/server/http-router"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export class CurrentUser extends Context.Service<CurrentUser, { readonly id: string }>()("guides/CurrentUser") {}

const mcp = Mcp.make({ name: "who", version: "1.0.0" }).tool("who_am_i", { description: "The caller" }, () =>
  CurrentUser.use((user) => Effect.succeed(user.id))
)

/** `Layer<Live, McpBuildErrors, HttpRouter>`: the user is discharged at the door, and `Live` changes what is served. */
export const routes = McpRouter.layer(mcp, {
  path: "/mcp",
  request: ({ headers }) =>
    headers["x-user"] === undefined
      ? Effect.fail(new Refusal({ status: 401, challenge: "Bearer" }))
      : Effect.succeed(Context.make(CurrentUser, { id: headers["x-user"] }))
})
// #endregion

/** The box office on one port for all: MCP for hosts and agents, routes for programs, and a page about them for people. */
import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { HttpRoutes } from "@treadle/server/http-api"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { boxOffice } from "./server.ts"

// #region app
export const App = HttpRoutes.layer(boxOffice, { mcp: "/mcp", docs: "/docs" })
// #endregion

/** Serves it on a port, for plain code. */
export const listen = async (port: number) => {
  const scope = Scope.makeUnsafe()
  const app = HttpRouter.serve(App, { disableLogger: true, disableListenLog: true })
  const server = NodeHttpServer.layer(() => createServer(), {
    port,
    host: "127.0.0.1",
    gracefulShutdownTimeout: "1 second"
  })
  const built = await Effect.runPromise(Scope.provide(Layer.build(Layer.provideMerge(app, server)), scope))
  const { address } = Context.get(built, HttpServer.HttpServer)
  const origin = `http://127.0.0.1:${"port" in address ? address.port : port}`
  return {
    url: `${origin}/mcp`,
    shows: `${origin}/shows`,
    docs: `${origin}/docs`,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

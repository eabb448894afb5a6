/** A server in an Effect application, with its configuration, its logger and its tracer. */
// #region application
import { Mcp } from "@treadle/server"
import { McpRouter } from "@treadle/server/http-router"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

const town = Effect.gen(function* () {
  const name = yield* Config.String("TOWN")
  yield* Effect.logInfo("somebody asked for the town")
  return yield* Effect.withSpan(Effect.succeed(name), "looking")
})

const mcp = Mcp.make({ name: "town", version: "1.0.0" }).tool("town", { description: "Where we are" }, () =>
  Effect.orDie(town)
)

/** @param tracing what gives the application its tracer, such as the layer of `@effect/opentelemetry` */
export const routes = (tracing: Layer.Layer<never>) =>
  McpRouter.layer(mcp, { path: "/mcp" }).pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ TOWN: "Oslo" }))),
    Layer.provide(Logger.layer([Logger.consoleJson])),
    Layer.provide(tracing)
  )
// #endregion

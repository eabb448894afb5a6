/**
 * Handlers belong to the application that serves them: at each door of Effect they have its configuration, its loggers,
 * its least level of logs, its tracer and its layers.
 */
import { assert, describe, it } from "@effect/vitest"
import { heardSpans } from "@treadle/testing"
import { McpClient } from "@treadle/client"
import { linePair } from "@treadle/protocol/framing"
import { textOf } from "@treadle/protocol/schema"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { McpRouter } from "../../src/http-router/index.ts"
import { Live, Mcp, McpMemory, type McpBuildErrors } from "../../src/index.ts"
import { directPeer } from "../../src/McpDirect.ts"
import { McpNode } from "../../src/node/index.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"

const about = { description: "Tested" }

const city = Effect.orDie(Config.String("CITY"))

/** Says where the application is, and warns of it. */
const where = Effect.gen(function* () {
  const name = yield* city
  yield* Effect.logInfo("nobody wants to know")
  yield* Effect.logWarning(`somebody asked for ${name}`)
  return yield* Effect.withSpan(Effect.succeed(name), "looking")
})

const mcp = empty()
  .tool("where", about, () => where)
  .resource({ uri: "box://where", name: "where" }, () => where)
  .prompt("where", about, () => where)

/** An application: what it gives to all that runs in it, and what it has heard. */
const application = () => {
  const logs: Array<string> = []
  const heard = heardSpans()
  const logger = Logger.make(({ logLevel, message }) => {
    logs.push(`${logLevel}: ${Array.isArray(message) ? message.join(" ") : String(message)}`)
  })
  const layer = Layer.mergeAll(
    ConfigProvider.layer(ConfigProvider.fromUnknown({ CITY: "Oslo" })),
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, "Warn"),
    Layer.succeed(Tracer.Tracer, heard.tracer)
  )
  return { heard, layer, logs }
}

/** Serves at a door of Effect, in the application, and gives a way to ask and the handle of what is served. */
type Door = (
  mcp: Mcp<never>,
  app: Layer.Layer<never>
) => Effect.Effect<
  { readonly session: Effect.Success<ReturnType<typeof McpClient.http>>; readonly live: Live["Service"] },
  unknown,
  Scope.Scope
>

const throughRouter = (adding: (mcp: Mcp<never>) => Layer.Layer<Live, McpBuildErrors, HttpRouter.HttpRouter>): Door =>
  Effect.fnUntraced(function* (served, app) {
    let live: Live["Service"] | undefined
    const seen = Layer.effectDiscard(Effect.map(Live, (handle) => (live = handle)))
    const routes = Layer.provide(Layer.provide(seen, adding(served)), [HttpServer.layerServices, app])
    const { handler } = yield* Effect.acquireRelease(
      Effect.sync(() => HttpRouter.toWebHandler(routes, { disableLogger: true })),
      ({ dispose }) => Effect.promise(dispose)
    )
    const fetch = (input: string | URL | Request, init?: RequestInit) => handler(new Request(input, init))
    const session = yield* McpClient.http("http://localhost/mcp", { fetch: fetch as typeof globalThis.fetch })
    return { session, live: live ?? assert.fail("the layer was built") }
  })

const doors: ReadonlyArray<readonly [string, Door]> = [
  ["McpRouter.layer", throughRouter((served) => McpRouter.layer(served, { path: "/mcp" }))],
  [
    "McpRouter.scoped",
    throughRouter((served) =>
      Layer.effect(
        Live,
        Effect.map(McpRouter.scoped(served, { path: "/mcp" }), ({ live }) => live)
      )
    )
  ],
  [
    "McpNode.scoped",
    Effect.fnUntraced(function* (served, app) {
      const handler = yield* Effect.provide(McpNode.scoped(served), app)
      const port = yield* listening(handler)
      return { session: yield* McpClient.http(`http://127.0.0.1:${port}/mcp`), live: handler.live as Live["Service"] }
    })
  ],
  [
    "McpMemory.serve",
    Effect.fnUntraced(function* (served, app) {
      const [near, far] = linePair()
      const running = yield* Effect.provide(McpMemory.serve(served, far, {}), app)
      return { session: yield* McpClient.pipe(near), live: running.live as Live["Service"] }
    })
  ],
  [
    "Mcp.served",
    Effect.fnUntraced(function* (served, app) {
      const running = yield* Effect.provide(Mcp.served(served), app)
      const peer = { "~treadle/direct": () => Effect.succeed(directPeer(running, {})) }
      return { session: yield* McpClient.direct(peer as never), live: running.live as Live["Service"] }
    })
  ]
]

describe.each(doors)("handlers served by %s", (_, door) => {
  it.effect("have the configuration, the loggers, the levels and the tracer of the application", () =>
    Effect.gen(function* () {
      const { heard, layer, logs } = application()
      const { session } = yield* door(mcp, layer)
      assert.strictEqual(textOf((yield* session.callTool("where")).content), "Oslo")
      assert.include(JSON.stringify(yield* session.readResource("box://where")), "Oslo")
      assert.include(JSON.stringify(yield* session.getPrompt("where")), "Oslo")
      assert.deepStrictEqual(
        logs,
        Array.from({ length: 3 }, () => "Warn: somebody asked for Oslo")
      )
      assert.lengthOf(
        heard.spans.filter(({ name }) => name === "looking"),
        3
      )
    })
  )

  it.effect("tell the loggers of the application of their bugs, with the reference", () =>
    Effect.gen(function* () {
      const { layer, logs } = application()
      const { session } = yield* door(
        empty().tool("die", about, () => Effect.die(new Error("a bug"))),
        layer
      )
      const told = textOf((yield* session.callTool("die")).content)
      const reference = /reference ([0-9a-f]{8})/.exec(told)?.[1]
      assert.isDefined(reference)
      assert.lengthOf(logs, 1)
      assert.match(logs[0] ?? "", new RegExp(`^Error: .*${reference}`))
    })
  )

  it.effect("have all of it in parts that are added later, and in the layers of those", () =>
    Effect.gen(function* () {
      const { layer, logs } = application()
      const { live, session } = yield* door(
        Mcp.make({ name: "suite", version: "1.0.0", live: { tools: true } }).tool("first", about, async () => "there"),
        layer
      )
      const Town = Context.Service<{ readonly name: string }>("test/Town")
      const town = Layer.effect(
        Town,
        Effect.map(Effect.tap(city, Effect.logWarning), (name) => ({ name: `${name} town` }))
      )
      const part = empty().tool("later", about, () => Effect.map(Effect.andThen(where, Town), ({ name }) => name))
      yield* live.add(part.provide(town))
      assert.strictEqual(textOf((yield* session.callTool("later")).content), "Oslo town")
      assert.deepStrictEqual(logs, ["Warn: Oslo", "Warn: somebody asked for Oslo"])
    })
  )
})

describe("a layer that a server is given", () => {
  class Pool extends Context.Service<Pool, number>()("test/Pool") {}

  const pools = () => {
    const events: Array<string> = []
    const layer = Layer.effect(
      Pool,
      Effect.acquireRelease(
        Effect.sync(() => events.push("built")),
        () => Effect.sync(() => events.push("released"))
      )
    )
    return { events, layer }
  }

  it.effect("is built once for all that has it, and released when serving ends", () =>
    Effect.gen(function* () {
      const { events, layer } = pools()
      const pooled = empty()
        .tool("one", about, () => Effect.map(Pool, String))
        .tool("other", about, () => Effect.map(Pool, String))
        .provide(layer)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const session = yield* McpClient.direct(pooled)
          for (const name of ["one", "other", "one"]) {
            assert.strictEqual(textOf((yield* session.callTool(name)).content), "1")
          }
          assert.deepStrictEqual(events, ["built"])
        })
      )
      assert.deepStrictEqual(events, ["built", "released"])
    })
  )

  it.effect("is the application's own where that has built it already, and stays when the server goes", () =>
    Effect.gen(function* () {
      const { events, layer } = pools()
      const pooled = empty()
        .tool("one", about, () => Effect.map(Pool, String))
        .provide(layer)
      const serving = Layer.effectDiscard(
        Effect.andThen(
          Effect.scoped(Mcp.served(pooled)),
          Effect.andThen(
            Pool,
            Effect.sync(() => events.push("used"))
          )
        )
      )
      yield* Effect.scoped(Layer.build(Layer.provide(serving, layer)))
      assert.deepStrictEqual(events, ["built", "used", "released"])
    })
  )
})

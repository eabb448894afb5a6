/**
 * The doors of the web and of an Effect application: services of one request, refusals, slow readers, disconnects, and
 * servers that cannot start.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { rawToolCall, Recorder, type RawMessage } from "@treadle/testing"
import { CurrentCall, McpBuildErrors, ProtectedResource, type Mcp } from "../../src/index.ts"
import { McpHttp } from "../../src/http.ts"
import { McpRouter, Refusal } from "../../src/http-router/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { capturedLogs } from "../fixtures/capturedLogs.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { headersOf, posting } from "../fixtures/rawPeers.ts"
import { resource, tokens } from "../fixtures/tokens.ts"

const plain = { description: "Tested" }

const request = (message: RawMessage, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  new Request("http://localhost/mcp", {
    method: "POST",
    headers: { ...headersOf(message), ...headers },
    body: JSON.stringify(message),
    ...(signal === undefined ? {} : { signal })
  })

class User extends Context.Service<User, string>()("test/User") {}
class Db extends Context.Service<Db, string>()("test/Db") {}

const web = <E>(layer: Layer.Layer<never, E, HttpRouter.HttpRouter>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        HttpRouter.toWebHandler(Layer.provide(layer, HttpServer.layerServices), { disableLogger: true })
      ),
      ({ dispose }) => Effect.promise(dispose)
    ),
    ({ handler }) =>
      (one: Request) =>
        Effect.promise(() => handler(one))
  )

describe("McpRouter.layer", () => {
  const mcp = empty().tool("who", plain, () => Effect.map(Effect.all([User, Db]), ([user, db]) => `${user} of ${db}`))

  it.effect("gives handlers the services of their request, and the others once", () =>
    Effect.gen(function* () {
      const layer = McpRouter.layer(mcp, {
        path: "/mcp",
        request: ({ headers }) => Effect.succeed(Context.make(User, headers["x-user"] ?? "nobody"))
      })
      const send = yield* web(Layer.provide(layer, Layer.succeed(Db, "one")))
      for (const user of ["Ada", "Bob"]) {
        const response = yield* send(request(rawToolCall(1, "who"), { "x-user": user }))
        const answer = yield* Effect.promise(() => response.json())
        assert.strictEqual((answer as RawMessage)["result"].content[0].text, `${user} of one`)
      }
    })
  )

  it.effect("answers a refusal of the request before its body is read", () =>
    Effect.gen(function* () {
      const layer = McpRouter.layer(mcp, {
        path: "/mcp",
        request: (): Effect.Effect<Context.Context<User>, Refusal> =>
          Effect.fail(new Refusal({ status: 401, challenge: "Bearer" }))
      })
      const send = yield* web(Layer.provide(layer, Layer.succeed(Db, "one")))
      const one = request(rawToolCall(1, "who"))
      const response = yield* send(one)
      assert.deepStrictEqual([response.status, response.headers.get("www-authenticate")], [401, "Bearer"])
    })
  )

  it.effect("D1: fails with every build error before anything is served", () =>
    Effect.gen(function* () {
      const faulty = empty().tool("a b" as "ab", plain, async () => "")
      const layer = Layer.provide(McpRouter.layer(faulty, { path: "/mcp" }), HttpRouter.layer)
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      assert.instanceOf(error, McpBuildErrors)
      assert.lengthOf(error.errors, 1)
    })
  )

  it.effect("serves verbs of its path as other doors do, and no other path", () =>
    Effect.gen(function* () {
      const send = yield* web(McpRouter.layer(empty(), { path: "/mcp" }))
      const put = yield* send(new Request("http://localhost/mcp", { method: "PUT" }))
      assert.deepStrictEqual([put.status, put.headers.get("allow")], [405, "POST, GET, DELETE"])
      assert.strictEqual((yield* send(new Request("http://localhost/other"))).status, 404)
    })
  )
})

describe("protected resources of one router", () => {
  it.effect("B018: are each told of by their own paths, and the first at the root", () =>
    Effect.gen(function* () {
      const other = ProtectedResource.make({ ...tokens().settings, resource: "https://box.example/other" })
      const layers = Layer.merge(
        McpRouter.layer(empty(), { path: "/mcp", auth: tokens() }),
        McpRouter.layer(empty(), { path: "/other", auth: other })
      )
      const send = yield* web(layers)
      const told = (path: string) =>
        Effect.gen(function* () {
          const response = yield* send(new Request(`http://localhost/.well-known/oauth-protected-resource${path}`))
          return (yield* Effect.promise(() => response.json())) as RawMessage
        })
      assert.strictEqual((yield* told("/mcp"))["resource"], resource)
      assert.strictEqual((yield* told("/other"))["resource"], "https://box.example/other")
      assert.oneOf((yield* told(""))["resource"], [resource, "https://box.example/other"])
    })
  )
})

/** A handler that says more than any reader's queue holds, and what becomes of it. */
const flooding = () => {
  const events = new Recorder<string>()
  const flood = empty().tool("flood", plain, () =>
    Effect.gen(function* () {
      for (let done = 1; done <= 2_000; done++) {
        yield* CurrentCall.progress(done, 2_000, "x".repeat(1_000))
        events.record(`sent ${done}`)
      }
      return "whole"
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => events.record("interrupted"))))
  )
  return { events, flood }
}

describe.each([
  {
    name: "McpHttp.fetch",
    open: (mcp: Mcp<never>) => {
      const door = McpHttp.fetch(mcp)
      return Effect.succeed((one: Request) => Effect.promise(() => door(one)))
    }
  },
  { name: "McpRouter.layer", open: (mcp: Mcp<never>) => web(McpRouter.layer(mcp, { path: "/mcp" })) }
])("a slow reader of $name", ({ open }) => {
  const asked = rawToolCall(1, "flood", {}, { progressToken: 1 })

  it.effect("D13: holds a handler back until it has read, and ends it by leaving", () =>
    Effect.gen(function* () {
      const { events, flood } = flooding()
      const send = yield* open(flood)
      const whole = yield* send(request(asked))
      assert.isBelow(events.events.length, 100)
      const text = yield* Effect.promise(() => whole.text())
      assert.strictEqual(text.split("\n\n").length - 1, 2_001)
      const left = yield* send(request(asked))
      yield* Effect.promise(async () => left.body?.cancel())
      yield* Effect.promise(() => events.first((event) => event === "interrupted"))
    })
  )
})

describe("McpHttp.fetch", () => {
  it.effect("HTTP-17: cancels where the signal of the request aborts, also before the call began", () =>
    Effect.gen(function* () {
      const [began, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<unknown>()]
      const door = McpHttp.fetch(
        empty().tool("wait", plain, (_, { signal }) =>
          Effect.onInterrupt(Effect.andThen(Deferred.succeed(began, undefined), Effect.never), () =>
            Effect.suspend(() => Deferred.succeed(ended, signal.reason))
          )
        )
      )
      const abort = new AbortController()
      void door(request(rawToolCall(1, "wait"), {}, abort.signal)).catch(() => {})
      yield* Deferred.await(began)
      abort.abort()
      assert.strictEqual(yield* Deferred.await(ended), "gone")
    })
  )
})

describe("a layer that dies", () => {
  const broken = empty()
    .tool("t", plain, () => Effect.asVoid(Db))
    .provide(Layer.effect(Db, Effect.die(new Error("no database at db.internal"))))

  it.effect("is answered 503 by plain doors, and the log says why; the client is not told", () =>
    Effect.gen(function* () {
      const logs = yield* capturedLogs
      const node = McpNode.handler(broken)
      const port = yield* listening((req, res) => node(req, res))
      const { res, text } = posting(port, rawToolCall(1, "t"))
      assert.strictEqual((yield* Effect.promise(() => res)).statusCode, 503)
      const door = McpHttp.fetch(broken)
      const response = yield* Effect.promise(() => door(request(rawToolCall(1, "t"))))
      assert.strictEqual(response.status, 503)
      for (const said of [yield* Effect.promise(() => text), yield* Effect.promise(() => response.text())]) {
        assert.strictEqual(JSON.parse(said).error.code, -32603)
        assert.notInclude(said, "db.internal")
      }
      assert.include(logs(), "db.internal")
      yield* Effect.promise(() => node.close())
      yield* Effect.promise(() => door.close())
    })
  )

  it.effect("fails an Effect door with its defect", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.scoped(McpNode.scoped(broken)))
      assert.isTrue(Exit.isFailure(exit))
    })
  )
})

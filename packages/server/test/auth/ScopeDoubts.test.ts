/**
 * Scopes that no caller can have: the server says so before anybody is refused.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { McpHttp } from "../../src/http.ts"
import { McpRouter } from "../../src/http-router/index.ts"
import { Mcp, StaticBearer, type ResourceScopes } from "../../src/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { capturedLogs } from "../fixtures/capturedLogs.ts"
import { listening } from "../fixtures/cells.ts"
import { tokens } from "../fixtures/tokens.ts"

const run = async () => ""
const about = { description: "Tested", scopes: ["shows:write"] }
const make = (principal?: () => string) =>
  Mcp.make({ name: "box", version: "1", ...(principal === undefined ? {} : { principal }) })
    .tool("add_show", about, run)
    .prompt("pitch", { ...about, scopes: ["shows:write", "pitch"] }, run)

const request = () => new Request("http://localhost/mcp", { method: "PUT" })

/** What the log of a door says that has had one request. */
const toldBy = (settings: object, mcp = make()) =>
  Effect.scoped(
    Effect.gen(function* () {
      const text = yield* capturedLogs
      const fetch = McpHttp.fetch(mcp, settings)
      yield* Effect.promise(() => fetch(request()))
      yield* Effect.promise(() => fetch(request()))
      yield* Effect.promise(() => fetch.close())
      return text()
        .split("\n")
        .flatMap((line) => /WARN [^:]*: (.*)$/.exec(line)?.[1] ?? [])
    })
  )

const listed = (scopes: ResourceScopes) => ({ auth: tokens({}, scopes), hosts: "any" })

describe("a scope that no caller can have", () => {
  it.effect("is told of a door without auth, once for each", () =>
    Effect.gen(function* () {
      const cure = "nobody has any here; give the door auth, or let principal of Mcp.make return { id, scopes }."
      assert.deepStrictEqual(yield* toldBy({}), [
        `tool "add_show" needs the scope shows:write, and ${cure}`,
        `prompt "pitch" needs the scope pitch, and ${cure}`
      ])
    })
  )

  it.effect("is told where the metadata does not list it, with the one that was meant", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* toldBy(listed({ supported: ["show:write", "pitch"] })), [
        'tool "add_show" needs the scope shows:write, and auth.scopes.supported does not list it, so that clients do not ' +
          "ask for it; it may be show:write that was meant."
      ])
    })
  )

  it.effect("is told where no agreed token has it", () =>
    Effect.gen(function* () {
      const auth = StaticBearer.make({ tokens: { robot: "2f6d1c0e9b8a4573" }, scopes: { robot: ["shows:write"] } })
      assert.deepStrictEqual(yield* toldBy({ auth }), [
        'prompt "pitch" needs the scope pitch, and no caller of StaticBearer.make has it.'
      ])
    })
  )

  it.effect("is not told where one may have it", () =>
    Effect.gen(function* () {
      const able: ReadonlyArray<ResourceScopes> = [
        {},
        { supported: ["shows:write", "pitch"] },
        { required: ["pitch"], supported: ["all"], implies: { all: ["shows:write"] } }
      ]
      for (const scopes of able) assert.deepStrictEqual(yield* toldBy(listed(scopes)), [])
      assert.deepStrictEqual(
        yield* toldBy(
          {},
          make(() => "ada")
        ),
        []
      )
    })
  )

  it.effect("is told by the doors of Node and of a router too, except where they say themselves who calls", () =>
    Effect.gen(function* () {
      const text = yield* capturedLogs
      const door = McpNode.handler(make())
      const port = yield* listening((req, res) => door(req, res))
      yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/`, { method: "PUT" }))
      assert.include(text(), 'tool "add_show" needs the scope shows:write')
      yield* Effect.promise(() => door.close())
      const before = text().length
      const router = McpRouter.scoped(make(), { path: "/mcp", principal: () => "ada" })
      yield* Effect.provide(router, Layer.fresh(HttpRouter.layer))
      assert.strictEqual(text().length, before)
    })
  )

  it.effect("is told of what is added to a running server, and not again of what was needed before", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const text = yield* capturedLogs
        const door = McpHttp.fetch(make())
        const told = () => [...text().matchAll(/(\w+ "\w+") needs the scope ([\w:]+)/g)].map(([, ...found]) => found)
        const add = (name: string, scope: string) =>
          Effect.promise(() =>
            door.live.add(Mcp.make({ name: "part", version: "1" }).tool(name, { ...about, scopes: [scope] }, run))
          )
        yield* add("early", "shows:plan")
        assert.deepStrictEqual(told(), [])
        yield* Effect.promise(() => door(request()))
        const first = [
          ['tool "add_show"', "shows:write"],
          ['tool "early"', "shows:plan"],
          ['prompt "pitch"', "pitch"]
        ]
        assert.deepStrictEqual(told(), first)
        yield* add("other_show", "shows:write")
        yield* add("late", "shows:end")
        assert.deepStrictEqual(told(), [...first, ['tool "late"', "shows:end"]])
        yield* Effect.promise(() => door.close())
      })
    )
  )
})

/** D1: what keeps routes from being served is said at once, each with its place and its cure. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as z from "zod"
import { describeBuildError, Endpoint, McpBuildErrors, type Mcp } from "../../src/index.ts"
import { HttpRoutes } from "../../src/http-api/index.ts"
import { empty } from "../fixtures/calling.ts"

const nothing = async () => undefined

/** An endpoint as plain JavaScript makes it. */
const routed = (name: string, http: string, input: unknown = { id: Schema.Int }) =>
  Endpoint.make(name as "name", { description: "Tested", input: input as {}, http })

const said = (mcp: Mcp<never>, settings?: Parameters<typeof HttpRoutes.check>[1]) =>
  HttpRoutes.check(mcp, settings).map(describeBuildError)

describe("HttpRoutes.check", () => {
  it("D1: finds nothing where every route can be served, and nothing where there is none", () => {
    const union = z.union([z.object({ id: z.int(), a: z.string() }), z.object({ id: z.int(), b: z.boolean() })])
    const mcp = empty()
      .tool(routed("get", "GET /shows/:id"), nothing)
      .tool(
        routed("put", "PUT /shows/:show", { show: Schema.String, deep: Schema.Struct({ a: Schema.Json }) }),
        nothing
      )
      .operation(routed("either", "DELETE /shows/:id", union), nothing)
      .operation(routed("many", "POST /shows", Schema.Struct({ ids: Schema.Array(Schema.Int) })), nothing)
      .tool("plain", { description: "Tested" }, nothing)
    assert.deepStrictEqual(said(mcp), [])
    assert.deepStrictEqual(said(empty()), [])
  })

  it("D1: names what is malformed, with the place of its definition", () => {
    const [error, ...others] = said(empty().tool(routed("get_show", "get /shows"), nothing))
    assert.deepStrictEqual(others, [])
    assert.match(
      error ?? "",
      /^tool "get_show" \(RouteChecks\.test\.ts:\d+\), route "get \/shows": it is no verb and path; write it as "GET \/shows\/:id"\.$/
    )
  })

  it.each<readonly [string, string, unknown, string]>([
    ["an unknown field", "GET /shows/:idd", { id: Schema.Int }, '":idd" is not a field of its input; it has "id"'],
    ["a field of no input", "GET /shows/:id", {}, '":id" is not a field of its input; it has none'],
    ["a list in the path", "GET /shows/:id", { id: Schema.Array(Schema.Int) }, '":id" may be a list'],
    ["an object in the path", "PUT /shows/:id", { id: Schema.Struct({}) }, '":id" may be'],
    [
      "text or a number in the path",
      "PUT /s/:id",
      z.object({ id: z.union([z.string(), z.number()]) }),
      "may be text or a number"
    ],
    [
      "an object in a query",
      "GET /s",
      { at: Schema.Struct({ x: Schema.Int }) },
      '"at" would be in the query and may be an object'
    ],
    ["an object in the query of a DELETE", "DELETE /s", { at: Schema.Struct({ x: Schema.Int }) }, "serve it with POST"],
    ["any name in a query", "GET /s", Schema.Record(Schema.String, Schema.Int), "its input takes any name"],
    [
      "a field of some forms only",
      "GET /s/:id",
      z.union([z.object({ id: z.int() }), z.object({ name: z.string() })]),
      '":id" is not a field of every form of its input'
    ]
  ])("D1: refuses %s", (_, http, input, why) => {
    const errors = said(empty().operation(routed("op", http, input), nothing))
    assert.lengthOf(errors, 1)
    assert.include(errors[0], why)
    assert.match(errors[0] ?? "", /^operation "op" \(RouteChecks\.test\.ts:\d+\)/)
  })

  it("D1: names both operations of one route", () => {
    const mcp = empty()
      .tool(routed("one", "GET /shows/:id"), nothing)
      .operation(routed("two", "GET /shows/:show", { show: Schema.String }), nothing)
    const [error] = said(mcp)
    assert.match(
      error ?? "",
      /^route "GET \/shows\/:show" is that of "one" \(RouteChecks\.test\.ts:\d+\) and "two" \(RouteChecks\.test\.ts:\d+\)\. Give each its own path or verb\.$/
    )
  })

  it("D1: says all of it at once, with what else is wrong with the server first", () => {
    const mcp = empty().tool(routed("a", "GET /a/:b/:c"), nothing).tool(routed("d", "d"), nothing)
    assert.lengthOf(HttpRoutes.check(mcp), 3)
    const unnamed = empty().tool(routed("a b", "GET /a/:b"), nothing)
    assert.deepStrictEqual(
      HttpRoutes.check(unnamed).map(({ _tag }) => _tag),
      ["InvalidToolName"]
    )
  })

  it("D1: refuses a prefix that cannot go before paths", () => {
    const [error] = said(empty().tool(routed("get", "GET /shows/:id"), nothing), { prefix: "/api/" })
    assert.strictEqual(
      error,
      'prefix: "/api/" cannot go before paths: a prefix begins with a slash and ends without one: "/api".'
    )
  })

  it.each<readonly [string, Parameters<typeof HttpRoutes.check>[1], string]>([
    ["no path", { docs: "docs" as "/docs" }, 'docs: "docs" is no path of its own; write it as "/docs".'],
    [
      "where clients look for metadata",
      { docs: "/.well-known/oauth-protected-resource/docs" },
      'docs: "/.well-known/oauth-protected-resource/docs" is not free: clients look there for the metadata of a protected resource (RFC 9728); give it another path.'
    ],
    ["a path with fields", { mcp: "/:mcp" }, 'mcp: "/:mcp" is no path of its own; write it as "/mcp".'],
    ["the path of a route", { docs: "/shows" }, 'docs: "/shows" is the route of "list" already; give it its own.'],
    [
      "the path of a route of any verb",
      { mcp: "/calls" },
      'mcp: "/calls" is the route of "call" already; give it its own.'
    ],
    ["the path of another", { mcp: "/x", openapi: "/X" }, 'openapi: "/X" is the setting mcp already; give it its own.']
  ])("D1: refuses a setting that is %s", (_, settings, sentence) => {
    const mcp = empty()
      .tool(routed("list", "GET /shows", {}), nothing)
      .tool(routed("call", "POST /calls", {}), nothing)
    assert.deepStrictEqual(said(mcp, settings), [sentence])
  })

  it.each([
    "GET /.well-known/oauth-protected-resource",
    "POST /.well-known/oauth-protected-resource/:id",
    "GET /.Well-Known/OAuth-Protected-Resource/mcp"
  ])("D1: refuses %s, where clients look for the metadata of a protected resource", (http) => {
    const mcp = empty().tool(routed("op", http, http.includes(":id") ? undefined : {}), nothing)
    const [error, ...others] = said(mcp)
    assert.deepStrictEqual(others, [])
    assert.include(
      error,
      "clients look there for the metadata of a protected resource (RFC 9728); give it another path."
    )
    assert.deepStrictEqual(said(mcp, { prefix: "/api" }), [])
  })

  it.each([100, 204, 304, 404, 99_999, 200.5])("D1: refuses a value that is sent with the status %d", (status) => {
    const output = Schema.Struct({}).annotate({ httpApiStatus: status })
    const get = Endpoint.make("get", { description: "Tested", output, http: "GET /it" })
    const [error, ...others] = said(empty().tool(get, async () => ({})))
    assert.deepStrictEqual(others, [])
    assert.include(error, `route "GET /it": its output is annotated with the status ${status}; a value is sent with`)
  })

  it.each([100, 200, 204, 304, 600, -1])("D1: refuses an error that is sent with the status %d", (httpApiStatus) => {
    class Gone extends Schema.TaggedError<Gone>()("Gone", {}, { httpApiStatus }) {}
    const get = Endpoint.make("get", { description: "Tested", errors: Gone, http: "GET /it" })
    const [error, ...others] = said(empty().tool(get, async () => undefined))
    assert.deepStrictEqual(others, [])
    assert.include(error, `route "GET /it": Gone is annotated with the status ${httpApiStatus}; an error is sent with`)
  })

  it.effect("D1: fails the layer, and gives no api", () =>
    Effect.gen(function* () {
      const mcp = empty().tool(routed("get", "GET /shows/:idd"), nothing)
      const error = yield* Effect.flip(
        Effect.scoped(Layer.build(Layer.provide(HttpRoutes.layer(mcp), HttpRouter.layer)))
      )
      assert.instanceOf(error, McpBuildErrors)
      assert.strictEqual(error.errors[0]?._tag, "InvalidRoute")
      const api = HttpRoutes.api(mcp)
      assert.isTrue(Result.isFailure(api) && api.failure.errors.length === 1)
    })
  )
})

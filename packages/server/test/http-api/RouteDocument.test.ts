/** What OpenAPI says of routes: what is published of tools, where HTTP has it. */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Endpoint, type Mcp } from "../../src/index.ts"
import { HttpRoutes, type ApiSettings } from "../../src/http-api/index.ts"
import { empty } from "../fixtures/calling.ts"
import { kiosk, getShow, makeShow } from "../fixtures/kiosk.ts"
import { routing } from "../fixtures/routing.ts"
import { tokens } from "../fixtures/tokens.ts"

/* oxlint-disable typescript/no-explicit-any -- a document is looked into as its readers do */
const documentOf = (mcp: Mcp<never>, settings?: ApiSettings): any =>
  OpenApi.fromApi(Result.getOrThrow(HttpRoutes.api(mcp, settings)))

describe("the document", () => {
  const document = documentOf(kiosk)

  it("has each operation under its name, with what its author says of it", () => {
    const { get } = document.paths["/shows/{id}"]
    assert.deepStrictEqual(
      [get.operationId, get.summary, get.description, get.tags],
      ["get_show", "A show", "One show", ["shows"]]
    )
    assert.deepStrictEqual(Object.keys(document.paths), ["/shows", "/shows/{id}", "/say/{what}"])
    assert.deepStrictEqual(Object.keys(document.paths["/shows/{id}"]), ["get", "put", "delete"])
    assert.deepStrictEqual(document.tags, [{ name: "shows" }, { name: "say" }])
    assert.deepStrictEqual(document.info, { title: "suite", version: "1.0.0" })
  })

  it("has the parameters of paths and queries, with the schemas that tools publish", () => {
    const { parameters } = document.paths["/shows"].get
    const of = (name: string) => parameters.find((one: any) => one.name === name)
    assert.deepStrictEqual(of("limit"), { name: "limit", in: "query", required: false, schema: { type: "integer" } })
    assert.deepStrictEqual(of("halls").schema, { type: "array", items: { type: "integer" } })
    assert.deepStrictEqual(document.paths["/shows/{id}"].get.parameters, [
      { name: "id", in: "path", required: true, schema: { type: "integer" } }
    ])
  })

  it("has the body without what is in the path", () => {
    const { requestBody } = document.paths["/shows/{id}"].put
    assert.deepStrictEqual(requestBody, {
      required: true,
      content: {
        "application/json": {
          schema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] }
        }
      }
    })
    const posted = document.paths["/shows"].post.requestBody.content["application/json"].schema
    assert.deepStrictEqual(Object.keys(posted.properties), Object.keys(makeShow.shape.inputSchema["properties"] as {}))
    assert.isUndefined(document.paths["/shows/{id}"].delete.requestBody)
  })

  it("has values, declared errors and problems with their statuses", () => {
    const { responses } = document.paths["/shows/{id}"].get
    const json = (status: number) => responses[status].content["application/json"].schema
    assert.deepStrictEqual(json(200), getShow.shape.printed.value)
    assert.strictEqual(json(404).properties._tag.enum?.[0] ?? json(404).properties._tag.const, "ShowNotFound")
    assert.deepStrictEqual(Object.keys(responses[422].content), ["application/json", "application/problem+json"])
    assert.include(responses[422].description, "SoldOut")
    assert.deepStrictEqual(json(200).properties, { id: { type: "integer" }, title: { type: "string" } })
    assert.isDefined(document.paths["/shows"].post.responses[201])
    assert.deepStrictEqual(Object.keys(document.paths["/shows/{id}"].delete.responses[200].content), [
      "text/plain",
      "application/json"
    ])
    assert.isDefined(document.paths["/shows/{id}"].delete.responses[204])
  })

  it("says what must be shown, and only where something must", () => {
    assert.isUndefined(document.components.securitySchemes)
    const scoped = empty().toolWith(getShow, { scopes: ["shows:read"] }, ({ id }) =>
      Effect.succeed({ id, title: "One" })
    )
    const shown = documentOf(scoped, { auth: tokens() })
    assert.deepStrictEqual(shown.components.securitySchemes, { bearer: { type: "http", scheme: "bearer" } })
    const { get } = shown.paths["/shows/{id}"]
    assert.deepStrictEqual(get.security, [{ bearer: ["shows:read"] }])
    assert.isDefined(get.responses[401])
    assert.isUndefined(document.paths["/shows/{id}"].get.responses[401])
  })

  it("has paths below their prefix, and groups by what comes after it", () => {
    const below = documentOf(kiosk, { prefix: "/api/v1" })
    assert.strictEqual(below.paths["/api/v1/shows"].get.tags[0], "shows")
  })

  it("keeps shared schemas that differ apart, though they have one name", () => {
    const made = (name: string, id: Schema.Top, http: string) =>
      Endpoint.make(name as "name", {
        description: "Tested",
        input: { hall: Schema.Struct({ id }).annotate({ identifier: "Hall" }) } as {},
        output: Schema.Struct({ hall: Schema.Struct({ id }).annotate({ identifier: "Hall" }) }) as never,
        http
      })
    const mcp = empty()
      .tool(made("one", Schema.Int, "POST /one"), async () => ({}) as never)
      .tool(made("two", Schema.String, "POST /two"), async () => ({}) as never)
    const { components, paths } = documentOf(mcp)
    const resolve = (schema: any): any =>
      schema.$ref === undefined ? schema : components.schemas[schema.$ref.slice("#/components/schemas/".length)]
    const hall = (path: string) =>
      resolve(resolve(paths[path].post.requestBody.content["application/json"].schema).properties.hall).properties.id
        .type
    assert.deepStrictEqual([hall("/one"), hall("/two")], ["integer", "string"])
    assert.notInclude(JSON.stringify(paths), "$defs")
  })

  it("has schemas that a validator takes", () => {
    const validator = new Ajv2020({ strict: false })
    const schemas = JSON.stringify(documentOf(kiosk)).match(/"schema":/g) ?? []
    assert.isAbove(schemas.length, 20)
    validator.addSchema({ $id: "doc", ...JSON.parse(JSON.stringify(document)) })
    const check = validator.getSchema("doc#/paths/~1shows/post/responses/201/content/application~1json/schema")
    assert.isTrue(check?.({ id: 1, title: "One" }))
    assert.isFalse(check?.({ id: "1" }))
  })
})

describe("where it is served", () => {
  it.effect("leads to the routes from there, and says nothing of them where it is read nowhere", () =>
    Effect.gen(function* () {
      assert.notProperty(documentOf(kiosk), "servers")
      const places = [
        ["/openapi.json", "."],
        ["/about/api/openapi.json", "../.."]
      ] as const
      for (const [openapi, url] of places) {
        const { json } = yield* (yield* routing(kiosk, { openapi, prefix: "/v1" }))(openapi)
        assert.deepStrictEqual(json.servers, [{ url }])
        assert.property(json.paths, "/v1/shows")
        // Below a mount as at the root.
        assert.strictEqual(new URL(url, `https://box.example/shop${openapi}`).href, "https://box.example/shop/")
      }
      const page = yield* (yield* routing(kiosk, { docs: "/about/docs" }))("/about/docs")
      assert.include(page.text, '"servers":[{"url":".."}]')
    })
  )

  it.effect("is /openapi.json, another path, or nowhere", () =>
    Effect.gen(function* () {
      const served = yield* (yield* routing(kiosk))("/openapi.json")
      assert.deepStrictEqual([served.status, served.json.openapi], [200, "3.1.0"])
      const other = yield* routing(kiosk, { openapi: "/api.json" })
      assert.deepStrictEqual([(yield* other("/api.json")).status, (yield* other("/openapi.json")).status], [200, 404])
      assert.strictEqual((yield* (yield* routing(kiosk, { openapi: false }))("/openapi.json")).status, 404)
    })
  )

  it.effect("is a page too, which loads nothing from elsewhere, where one is asked for", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* (yield* routing(kiosk))("/docs")).status, 404)
      const page = yield* (yield* routing(kiosk, { docs: "/docs" }))("/docs")
      assert.strictEqual(page.status, 200)
      assert.include(page.text, "get_show")
      assert.notMatch(page.text, /<(?:script|link|img)[^>]+(?:src|href)\s*=\s*"https?:/)
    })
  )
})

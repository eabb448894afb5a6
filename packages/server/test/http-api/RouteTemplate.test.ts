/** Routes taken apart, and what is wrong with those that are none. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { parseRoute, prefixProblem } from "../../src/http-api/RouteTemplate.ts"

const parsed = (route: string, prefix?: string) => Result.getOrThrow(parseRoute(route, prefix))
const problems = (route: string, prefix?: string) => {
  const result = parseRoute(route, prefix)
  return Result.isFailure(result) ? result.failure : []
}

describe("parseRoute", () => {
  it("takes the verb, the path and its fields", () => {
    const { fields, path, verb } = parsed("PATCH /halls/:hall/rows/:row")
    assert.deepStrictEqual([verb, path, fields], ["PATCH", "/halls/:hall/rows/:row", ["hall", "row"]])
    assert.deepStrictEqual(parsed("GET /").segments, [])
  })

  it("puts a prefix before the path", () => {
    assert.strictEqual(parsed("GET /shows/:id", "/api/v1").path, "/api/v1/shows/:id")
    assert.strictEqual(parsed("GET /", "/api").path, "/api")
  })

  it("gives two routes one key where the same requests would reach them", () => {
    assert.strictEqual(parsed("GET /shows/:id").key, parsed("GET /Shows/:show").key)
    assert.notStrictEqual(parsed("GET /shows/:id").key, parsed("PUT /shows/:id").key)
    assert.notStrictEqual(parsed("GET /shows/:id").key, parsed("GET /shows/new").key)
  })

  it.each([
    ["get /shows", "it is no verb and path"],
    ["GET shows", "it is no verb and path"],
    ["HEAD /shows", "it is no verb and path"],
    ["GET /shows?limit=:limit ", "it is no verb and path"],
    ["GET /shows?limit", "holds a character that is not for paths"],
    ["GET /shows//now", "an empty part"],
    ["GET /shows/", "an empty part"],
    ["GET /shows/../halls", "leads to another path"],
    ["GET /shows/*", "holds a character that is not for paths"],
    ["GET /shows/:id.json", "a field is a whole part of the path"],
    ["GET /shows/:id?", "a field is a whole part of the path"],
    ["GET /shows/{id}", '"{id}" is no field here; write it as ":id"'],
    ["GET /shows/{id}.json", "holds a character that is not for paths"],
    ["GET /shows/:", "a field is a whole part of the path"],
    ["GET /shows/:id/rows/:id", '":id" stands in it more than once']
  ])("says what is wrong with %s", (route, why) => {
    assert.include(problems(route).join("; "), why)
  })

  it.each([
    ["api", "begins with a slash"],
    ["/api/", "ends without one"],
    ["/:api", "has no fields"],
    ["/a//b", "an empty part"],
    ["/api/v1", undefined]
  ])("says what is wrong with the prefix %s", (prefix, why) => {
    const problem = prefixProblem(prefix)
    if (why === undefined) assert.isUndefined(problem)
    else assert.include(problem, why)
  })
})

/** The programs of the guides do what their pages say. */
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { connect } from "@treadle/client/promise"
import { McpHttp } from "@treadle/server/http"
import { McpNode } from "@treadle/server/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Hono } from "hono"
import { boxOffice } from "../box-office/server.ts"
import { open, soldOut } from "./changes.ts"
import { makeFastify } from "./fastify.ts"
import { app } from "./hono.ts"
import { door as clock, underWay } from "./limits.ts"
import { visit } from "./promise-client.ts"
import { NoStation, Stations, weather as weatherEffect } from "./weather-effect.ts"
import { weather } from "./weather.ts"

const stations = Layer.succeed(Stations, {
  read: (city, unit) =>
    city === "Atlantis" ? Effect.fail(new NoStation({ city })) : Effect.succeed(unit === "celsius" ? 21 : 70)
})

describe("the guides", () => {
  it("tell the model in words what an async handler failed with", async () => {
    await using client = await connect(weather)
    const result = await client.callTool("get_forecast", { city: "Atlantis" })
    assert.deepStrictEqual(result.content, [{ type: "text", text: "Atlantis has no weather station." }])
    assert.isTrue(result.isError)
  })

  it.effect("give an Effect handler its service, and send its declared error", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(weatherEffect.provide(stations))
      const warm = yield* session.callTool("get_forecast", { city: "Oslo", unit: "fahrenheit" })
      assert.deepStrictEqual(warm.structuredContent, { degrees: 70 })
      const none = yield* session.callTool("get_forecast", { city: "Atlantis" })
      assert.deepStrictEqual(none.structuredContent, { _tag: "NoStation", city: "Atlantis" })
    })
  )

  it("visit the box office with the promise client", async () => {
    await using server = await McpNode.listen(boxOffice)
    const lines: Array<string> = []
    await visit(server.url, (line) => lines.push(line))
    assert.deepStrictEqual(lines.slice(0, 3), ["Evening bill: 12", "Late bill: 2", "no show 9"])
    assert.include(lines[3] ?? "", "two are enough")
  })

  it("keep to their limits, let a listed page call, and count what is under way", async () => {
    const ask = (method: string, headers: Record<string, string>, body?: string) =>
      clock(new Request("https://clock.example/mcp", { method, headers, ...(body === undefined ? {} : { body }) }))
    const origin = "https://app.example"
    const preflight = await ask("OPTIONS", { origin, "access-control-request-method": "POST" })
    assert.deepStrictEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, origin])
    const large = await ask("POST", { origin, "content-type": "application/json" }, "x".repeat(64 * 1024 + 1))
    assert.strictEqual(large.status, 413)
    const idle = { calls: 0, listeners: 0, streams: 0, sessions: 0, tasks: 0, asks: 0, queued: 0, dropped: 0 }
    assert.deepStrictEqual(underWay(), idle)
    await clock.close()
  })

  it("tell a compat session once that a list has changed", async () => {
    const door = await open()
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "guide", version: "1" } }
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })
    const opened = await fetch(door.url, { method: "POST", headers, body })
    const session = opened.headers.get("mcp-session-id") ?? ""
    await opened.text()
    const stream = await fetch(door.url, { headers: { accept: "text/event-stream", "mcp-session-id": session } })
    await soldOut(door, "soup")
    await soldOut(door, "stew")
    const closing = new Promise((resolve) => setTimeout(resolve, 200)).then(() => door.close())
    const heard = (await stream.text()).split("\n").filter((line) => line.startsWith("data: {"))
    await closing
    assert.deepStrictEqual(heard, ['data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}'])
  })

  it("answer in a Fastify app, after its own parser", async () => {
    const app = makeFastify()
    const url = await app.listen({ port: 0, host: "127.0.0.1" })
    const client = await connect(`${url}/mcp`)
    const result = await client.callTool("get_forecast", { city: "Oslo" })
    assert.deepStrictEqual(result.structuredContent, { degrees: 21 })
    await client.close()
    await app.close()
  })

  it("hand the user of a Hono app to the handler", async () => {
    const settings = {
      fetch: async (request: Request) => app.fetch(request),
      headers: { "x-user": "ada", host: "who.example" }
    }
    await using client = await connect("http://who.example/mcp", settings)
    const result = await client.callTool("who_am_i", {})
    assert.deepStrictEqual(result.content, [{ type: "text", text: "ada" }])
  })

  it("answer in a Hono app that has read the body, given the text that Hono remembers", async () => {
    await using serve = McpHttp.fetch(weather)
    const reading = new Hono()
    reading.use(async (c, next) => {
      await c.req.json()
      await next()
    })
    reading.post("/mcp", async (c) => serve(new Request(c.req.raw, { method: "POST", body: await c.req.text() })))
    reading.all("/bare", (c) => serve(c.req.raw))
    const fetch = async (request: Request) => reading.fetch(request)
    await using client = await connect("http://localhost/mcp", { fetch })
    const result = await client.callTool("get_forecast", { city: "Oslo" })
    assert.deepStrictEqual(result.structuredContent, { degrees: 21 })
    const headers = { "content-type": "application/json" }
    const bare = await fetch(new Request("http://localhost/bare", { method: "POST", headers, body: "{}" }))
    assert.strictEqual(bare.status, 500)
  })
})

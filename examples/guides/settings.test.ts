/** What the pages on doors and on tools say of settings and of lists. */
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { connect } from "@treadle/client/promise"
import { ClientRequest } from "@treadle/protocol/schema"
import { Ask, Endpoint, Mcp, StateStore } from "@treadle/server"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { archive } from "./listing.ts"
import { nativeRounds } from "./native-rounds.ts"
import { doorOf, keyOf } from "./settings.ts"

const key = keyOf("2026-11", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")

const desk = Mcp.make({ name: "desk", version: "1.0.0" })
  .tool("book", { description: "Books", once: true }, async (_, { ask }) => {
    const answer = await ask("seats", Ask.form({ message: "How many?", fields: { seats: Schema.Int } }))
    return answer.action
  })
  .tool("break", { description: "Breaks" }, async () => {
    throw new Error("the disk is full")
  })

const call = (door: (request: Request) => Promise<Response>, name: string, round: object) =>
  nativeRounds(door, "https://box.example/mcp", name, {})(round)

describe("doors of several processes", () => {
  it("open what another has sealed, spend a state once between them, and report bugs", async () => {
    const reported: Array<string> = []
    const spent: Array<string> = []
    const memory = StateStore.memory()
    const shared = {
      keys: [key],
      store: {
        spend: (id: string, until: number, now: number) => {
          spent.push(id)
          return memory.spend(id, until, now)
        }
      },
      report: (error: unknown, { tool }: { readonly tool: string }) => void reported.push(`${tool}: ${String(error)}`)
    }
    await using first = doorOf(desk, shared)
    await using second = doorOf(desk, shared)
    await using third = doorOf(desk, shared)
    const { result } = await call(first, "book", {})
    const round = {
      requestState: result.requestState,
      inputResponses: { seats: { action: "accept", content: { seats: 2 } } }
    }
    assert.deepStrictEqual((await call(second, "book", round)).result.content, [{ type: "text", text: "accept" }])
    assert.strictEqual((await call(third, "book", round)).error.code, -32602)
    assert.deepStrictEqual([spent.length, new Set(spent).size], [2, 1])
    await call(first, "break", {})
    assert.deepStrictEqual(reported, ["break: Error: the disk is full"])
  })
})

const findProgramme = Endpoint.make("find_programme", {
  description: "Tested",
  input: { region: Schema.String, year: Schema.Int }
})

describe("the archive", () => {
  it.effect("is listed with its title, its hints, the header of its argument and its annotations", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(archive)
      const [tool] = yield* session.listTools()
      assert.deepInclude(tool, {
        title: "Find a programme",
        annotations: { readOnlyHint: true, openWorldHint: false },
        _meta: { "com.example/shelf": 4 }
      })
      assert.deepInclude(tool?.inputSchema["properties"], { region: { type: "string", "x-mcp-header": "Region" } })
      const { resources } = yield* session.request(ClientRequest.listResources())
      assert.deepStrictEqual(resources[0]?.annotations?.audience, ["assistant"])
      const looked = yield* session.open(findProgramme)({ region: "north", year: 1999 })
      const told = yield* Stream.runCollect(looked.notifications)
      assert.deepStrictEqual(
        told.map(({ method, params }) => [method, params?.["year"]]),
        [["notifications/com.example/looked", 1999]]
      )
      assert.strictEqual(yield* looked.result, "north, 1999: Evening bill")
    })
  )
})

describe("a server of its own", () => {
  it("serves the weather on the port of the environment", async () => {
    process.env["PORT"] = "0"
    const { server } = await import("./weather-http.ts")
    await using client = await connect(server.url)
    const result = await client.callTool("get_forecast", { city: "Oslo" })
    assert.deepStrictEqual(result.structuredContent, { degrees: 21 })
    await server.close()
  })
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { Endpoint } from "@treadle/protocol"
import { linePair } from "@treadle/protocol/framing"
import { McpClient } from "../../src/index.ts"
import { discoverResult, fact, listed, opened, reasonOf, result, rpcError, serving } from "../fixtures.ts"

const annotated = (name: string, header: string, property = "region") =>
  listed(name, { [property]: { type: "string", "x-mcp-header": header }, query: { type: "string" } })

describe("mirrored parameters", () => {
  it.effect(
    "XHDR-07: leaves out tools with invalid annotations over HTTP, with a warning that names tool and rule",
    () =>
      Effect.gen(function* () {
        const warnings: Array<string> = []
        const logger = Logger.make(({ message }) => void warnings.push(String(message)))
        const { session } = yield* opened(
          serving((seen, reply) =>
            reply.json(result(seen.json.id, { tools: [annotated("bad", "a b"), annotated("good", "Region")] }))
          )
        )
        const tools = yield* Effect.provide(session.listTools(), Logger.layer([logger]))
        assert.deepStrictEqual(
          tools.map((tool) => tool.name),
          ["good"]
        )
        assert.match(warnings.join(), /"bad".*no header name/)
      })
  )

  it.effect("XHDR-08: keeps such tools on other transports", () =>
    Effect.gen(function* () {
      const [port, far] = linePair()
      let text = ""
      far.open({
        chunk: (bytes) => {
          text += new TextDecoder().decode(bytes)
          const lines = text.split("\n")
          text = lines.pop() ?? ""
          for (const line of lines) {
            const { id, method } = JSON.parse(line)
            const body = method === "tools/list" ? { tools: [annotated("bad", "a b")] } : discoverResult
            far.write(`${JSON.stringify(result(id, body))}\n`)
          }
        },
        end: () => {},
        drain: () => {}
      })
      const session = yield* McpClient.pipe(port)
      assert.strictEqual((yield* session.listTools()).length, 1)
    })
  )

  it.effect("XHDR-06 XHDR-09 HDR-13: repeats annotated arguments of a listed tool, and only those that are there", () =>
    Effect.gen(function* () {
      const properties = {
        region: { type: "string", "x-mcp-header": "Region" },
        deep: { type: "object", properties: { n: { type: "integer", "x-mcp-header": "N" } } },
        on: { type: "boolean", "x-mcp-header": "On" },
        query: { type: "string" }
      }
      const { server, session } = yield* opened(
        serving((seen, reply) => reply.json(result(seen.json.id, { tools: [listed("find", properties)], content: [] })))
      )
      yield* session.listTools()
      yield* session.callTool("find", { region: " süd", deep: { n: -7 }, on: false, query: "x" })
      yield* session.callTool("find", { region: "", on: null })
      const [full, empty] = server.seen.events.slice(2).map((seen) => seen.headers)
      assert.strictEqual(full?.["mcp-param-region"], "=?base64?IHPDvGQ=?=")
      assert.strictEqual(full?.["mcp-param-n"], "-7")
      assert.strictEqual(full?.["mcp-param-on"], "false")
      assert.notProperty(full ?? {}, "mcp-param-query")
      assert.strictEqual(empty?.["mcp-param-region"], "")
      assert.notProperty(empty ?? {}, "mcp-param-on")
    })
  )

  it.effect("XHDR-06: takes them from the caller's own contract where the tools were not listed yet", () =>
    Effect.gen(function* () {
      const region = Schema.String.annotate({ "x-mcp-header": "Region" })
      const find = Endpoint.make("find", { description: "x", input: { region } })
      const { server, session } = yield* opened(serving())
      yield* session.call(find)({ region: "eu" })
      assert.strictEqual(server.seen.events[1]?.headers["mcp-param-region"], "eu")
    })
  )

  it.effect("XHDR-12: lists once and calls once more where the server misses them", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(
        serving((seen, reply) => {
          const { id, method } = seen.json
          if (method === "tools/list") reply.json(result(id, { tools: [annotated("find", "Region")] }))
          else if (seen.headers["mcp-param-region"] === undefined) {
            reply.json({ jsonrpc: "2.0", id, error: { code: -32020, message: "Mcp-Param-Region" } }, 400)
          } else reply.json(result(id, { content: [] }))
        })
      )
      assert.deepStrictEqual((yield* session.callTool("find", { region: "eu" })).content, [])
      assert.deepStrictEqual(
        server.seen.events.map((seen) => seen.json.method),
        ["server/discover", "tools/call", "tools/list", "tools/call"]
      )
    })
  )

  it.effect("XHDR-12: lists anew although the list that is kept is fresh", () =>
    Effect.gen(function* () {
      let lists = 0
      const { server, session } = yield* opened(
        serving((seen, reply) => {
          const { id, method } = seen.json
          if (method === "tools/list") {
            const tool = ++lists === 1 ? { name: "find", inputSchema: { type: "object" } } : annotated("find", "Region")
            reply.json(result(id, { tools: [tool], ttlMs: 60_000, cacheScope: "public" }))
          } else if (seen.headers["mcp-param-region"] === undefined) reply.json(rpcError(id, -32020, "no"), 400)
          else reply.json(result(id, { content: [] }))
        })
      )
      yield* session.listTools()
      yield* session.callTool("find", { region: "eu" })
      assert.deepStrictEqual(
        server.seen.events.map((seen) => seen.json.method),
        ["server/discover", "tools/list", "tools/call", "tools/list", "tools/call"]
      )
    })
  )

  it.effect("XHDR-12: gives up after that", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(
        serving((seen, reply) =>
          reply.json({ jsonrpc: "2.0", id: seen.json.id, error: { code: -32020, message: "no" } }, 400)
        )
      )
      assert.strictEqual(fact(yield* reasonOf(session.callTool("find", { region: "eu" })), "code"), -32020)
      assert.strictEqual(server.seen.events.length, 4)
    })
  )
})

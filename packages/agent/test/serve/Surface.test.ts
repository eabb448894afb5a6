/**
 * What an agent offers to others, as the wire shows it.
 */
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { AgentMcp, ProcessId } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { Mcp } from "@treadle/server"
import { eras, reviewer, servedClient } from "./peer.ts"

const handle = { handle: { type: "string" } }

const schemas: Readonly<Record<string, object>> = {
  status: { type: "object", properties: {} },
  "subagent.spawn": {
    type: "object",
    properties: {
      instruction: { type: "string" },
      output_contract: { type: "string" },
      tool_scope: { type: "array", items: { type: "string" } },
      async: { type: "boolean", default: false },
      warm: { type: "boolean", default: false }
    },
    required: ["instruction"]
  },
  "subagent.send": {
    type: "object",
    properties: { ...handle, message: { type: "string" } },
    required: ["handle", "message"]
  },
  "subagent.status": { type: "object", properties: handle, required: ["handle"] },
  "subagent.cancel": { type: "object", properties: handle, required: ["handle"] }
}

const none = AgentTest.script()

it("the value of an agent has no build errors (A76)", () => {
  assert.deepStrictEqual(Mcp.check(AgentMcp.make(reviewer())), [])
})

describe.each(eras)("a served agent, %s", (era) => {
  it.effect("has the two capabilities and nothing else, and says who it is (A76)", () =>
    Effect.gen(function* () {
      const { client } = yield* servedClient(era, none)
      if (era === "native") {
        const { result } = yield* client.ask("server/discover")
        assert.deepStrictEqual(result.capabilities, { tools: {}, resources: { subscribe: true } })
        assert.deepInclude(result._meta["io.modelcontextprotocol/serverInfo"], { name: "reviewer", version: "1.2.3" })
      } else {
        assert.deepStrictEqual(client.answered(1)?.["result"], {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {}, resources: { subscribe: true } },
          serverInfo: { name: "reviewer", version: "1.2.3" }
        })
      }
    })
  )

  it.effect("lists five tools in their order, with the schemas as agreed (A77, A83)", () =>
    Effect.gen(function* () {
      const { client } = yield* servedClient(era, none)
      const { result } = yield* client.ask("tools/list")
      const tools: ReadonlyArray<{ name: string; inputSchema: object; outputSchema: object }> = result.tools
      assert.deepStrictEqual(
        tools.map(({ inputSchema, name }) => [name, inputSchema]),
        Object.entries(schemas)
      )
      const ajv = new Ajv2020({ strict: false })
      for (const { inputSchema, outputSchema } of tools) {
        assert.isTrue(ajv.validateSchema(inputSchema))
        assert.isTrue(ajv.validateSchema(outputSchema))
      }
    })
  )

  it.effect("serves no prompts, no logging, no completions (A78)", () =>
    Effect.gen(function* () {
      const { client } = yield* servedClient(era, none)
      const methods = [
        ["prompts/list", {}],
        ["prompts/get", { name: "x" }],
        ["completion/complete", { ref: { type: "ref/prompt", name: "x" }, argument: { name: "a", value: "" } }],
        ["logging/setLevel", { level: "debug" }],
        ["resource.read", {}],
        ["graph.define", {}]
      ] as const
      for (const [method, params] of methods) {
        const { error } = yield* client.ask(method, params)
        assert.strictEqual(error.code, -32601, method)
      }
      const ping = yield* client.ask("ping")
      if (era === "compat") assert.deepStrictEqual(ping["result"], {})
    })
  )

  it.effect("refuses arguments that do not fit, and those that there are not, by name (A81, A99)", () =>
    Effect.gen(function* () {
      const { client } = yield* servedClient(era, none)
      const wrong: ReadonlyArray<readonly [string, object, string]> = [
        ["subagent.spawn", {}, "instruction"],
        ["subagent.spawn", { instruction: "  " }, "instruction"],
        ["subagent.spawn", { instruction: 7 }, "instruction"],
        ["subagent.spawn", { instruction: "x", tool_scope: "kb" }, "tool_scope"],
        ["subagent.spawn", { instruction: "x", async: "yes" }, "async"],
        ["subagent.spawn", { instruction: "x", detach: true }, "detach"],
        ["subagent.spawn", { instruction: "x", depth: 0 }, "depth"],
        ["subagent.send", { handle: "served.0" }, "message"],
        ["subagent.status", { handle: "" }, "handle"],
        ["subagent.cancel", {}, "handle"],
        ["status", { verbose: true }, "verbose"],
        ["unheard_of", {}, "unheard_of"]
      ]
      for (const [name, args, named] of wrong) {
        const { error } = yield* client.call(name, args)
        assert.strictEqual(error.code, -32602, `${name} ${JSON.stringify(args)}`)
        assert.include(error.message, named)
      }
      assert.deepInclude(yield* client.structured("status"), { total_spawns: 0 })
    })
  )

  it.effect("answers whatever stands for the parameters, and goes on (A82)", () =>
    Effect.gen(function* () {
      const { client } = yield* servedClient(era, none)
      const methods = ["initialize", "tools/list", "tools/call", "resources/read", "resources/subscribe", "ping", "x"]
      let id = 1_000
      for (const method of methods) {
        for (const params of [[], null, "text", 7, true]) {
          client.send({ jsonrpc: "2.0", id: ++id, method, params })
          const { error } = yield* client.answer(id)
          assert.include([-32600, -32601, -32602], error.code, `${method} ${JSON.stringify(params)}`)
        }
      }
      assert.deepInclude(yield* client.structured("status"), { mode: "serve" })
    })
  )

  it.effect(
    "tells its status by its tool and by its resource alike, with the process behind a service (A98, A109)",
    () =>
      Effect.gen(function* () {
        const { client } = yield* Effect.provideService(
          servedClient(era, none, reviewer(), { runId: "run-1", mode: "reactive" }),
          ProcessId,
          42
        )
        yield* TestClock.adjust(1_500)
        const body = {
          run_id: "run-1",
          mode: "reactive",
          version: "1.2.3",
          pid: 42,
          uptime_ms: 1_500,
          inflight_spawns: 0,
          total_spawns: 0
        }
        assert.deepStrictEqual(yield* client.structured("status"), body)
        const { result } = yield* client.ask("resources/read", { uri: "agent://status" })
        assert.strictEqual(result.contents.length, 1)
        const [{ text, ...item }] = result.contents
        assert.deepStrictEqual(item, { uri: "agent://status", mimeType: "application/json" })
        assert.deepStrictEqual(JSON.parse(text), body)
      })
  )

  it.effect("lists its status as its only resource, and there are no other forms (A107, A108)", () =>
    Effect.gen(function* () {
      const { client } = yield* servedClient(era, none)
      const { result } = yield* client.ask("resources/list")
      assert.deepStrictEqual(result.resources, [
        { uri: "agent://status", name: "status", mimeType: "application/json" }
      ])
      const missing = ["agent://run/x", "agent://session/x", "agent://subagent/x/result", "agent://subagent/served.0"]
      for (const uri of missing) {
        const error = yield* client.read(uri)
        assert.strictEqual(error["code"], era === "native" ? -32602 : -32002)
        assert.deepStrictEqual(error["data"], { uri })
      }
    })
  )

  it.effect("tells of nothing but changes that were subscribed to, in a whole session (A79, A87, A114)", () =>
    Effect.gen(function* () {
      const { client } = yield* servedClient(era, AgentTest.script(AgentTest.say("one"), AgentTest.say("two")))
      yield* client.call("subagent.spawn", { instruction: "x", async: true })
      yield* client.call("subagent.spawn", { instruction: "x" })
      yield* client.call("status")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(client.notified, [])
    })
  )
})

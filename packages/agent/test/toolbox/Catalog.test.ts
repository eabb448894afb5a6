import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { Agent, Server, type AgentDefinition, type AgentEvent } from "@treadle/agent"
import { AgentTest, type TurnLike } from "@treadle/agent/test"
import { Endpoint, Live, Mcp } from "@treadle/server"
import type { HttpScript } from "@treadle/testing"
import { mostTools } from "../../src/toolbox/Catalog.ts"
import { kb } from "../kb.ts"
import { until } from "../until.ts"
import { compat, eras, failure, native, result, said, serving, tool, type Offer } from "../wire.ts"

const agent = (servers: AgentDefinition["servers"]) =>
  Agent.make({ name: "reviewer", instruction: "You review.", ...(servers && { servers }) })

/** Runs an agent and keeps what is told of. */
const heard = (servers: AgentDefinition["servers"], ...turns: ReadonlyArray<TurnLike>) =>
  Effect.gen(function* () {
    const events: Array<AgentEvent> = []
    const outcome = yield* Effect.provide(
      Agent.run(agent(servers), "Go", { onEvent: (event) => events.push(event) }),
      AgentTest.script(...turns)
    )
    const degraded = events.flatMap((event) => (event._tag === "Degraded" ? [event.what] : []))
    return { outcome, events, degraded }
  })

/** The tools of servers that a model is offered, as their servers call them. */
const offered = (seen: { readonly tools: ReadonlyArray<{ server: string; tool: string }> }) =>
  seen.tools.flatMap((one) => (one.server === "" ? [] : [one.tool]))

const sayOffered: TurnLike = (seen) => AgentTest.answer(offered(seen))

const listing = (pages: { readonly [cursor: string]: readonly [ReadonlyArray<string>, string?] }): Offer => ({
  first: ({ json }, reply) => {
    if (json?.method !== "tools/list") return false
    const [names = [], nextCursor] = pages[json.params?.cursor ?? "first"] ?? []
    const about = { resultType: "complete", ttlMs: 0, cacheScope: "private" }
    reply.json(result(json.id, { ...about, tools: names.map((name) => tool(name)), ...(nextCursor && { nextCursor }) }))
    return true
  }
})

describe.each(eras)("the tools of a server that is $era", ({ serve }) => {
  const served = (offer: Offer) => serving(serve(offer))

  it.effect("are those of all pages, in order (A26)", () =>
    Effect.gen(function* () {
      const server = yield* served(listing({ first: [["c", "a"], "x"], x: [["b"], "y"], y: [["d"]] }))
      const { outcome } = yield* heard({ box: server.url }, sayOffered)
      assert.deepStrictEqual(JSON.parse(outcome.text), ["c", "a", "b", "d"])
    })
  )

  it.effect("are the first thousand of a list that is longer, which is told of", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: mostTools + 1 }, (_, number) => `t${number}`)
      const server = yield* served(listing({ first: [names] }))
      const { degraded, outcome } = yield* heard({ box: server.url }, sayOffered)
      assert.deepStrictEqual(JSON.parse(outcome.text), names.slice(0, 1_000))
      assert.deepStrictEqual(degraded, ["it lists 1001 tools, and those after the first 1000 are left out"])
    })
  )

  it.effect("are those that were read where its list never ends, which is told of; the connection stays (A27)", () =>
    Effect.gen(function* () {
      const server = yield* served({
        ...listing({ first: [["a"], "x"], x: [["b"], "x"] }),
        resources: [{ uri: "box://a", name: "a" }]
      })
      const { degraded, outcome } = yield* heard({ box: server.url, kb }, (seen) => {
        assert.include(seen.system, "box://a")
        return AgentTest.answer(seen.tools.flatMap((one) => (one.server === "box" ? [one.tool] : [])))
      })
      assert.deepStrictEqual(JSON.parse(outcome.text), ["a", "b"])
      assert.deepStrictEqual(degraded, ['its list of tools is cut where it has no end: the cursor "x" came twice'])
      assert.strictEqual(server.of("tools/list").length, 2)
    })
  )

  it.effect("are those that its settings name, and one that it does not list is told of", () =>
    Effect.gen(function* () {
      const server = yield* served(listing({ first: [["a", "b", "c"]] }))
      const some = { box: Server.http(server.url, { tools: ["c", "a", "d"] }) }
      const { degraded, events, outcome } = yield* heard(some, AgentTest.callNamed("mcp__box__b"), (seen) =>
        AgentTest.answer([offered(seen), seen.results[0]?.value])
      )
      assert.deepStrictEqual(JSON.parse(outcome.text), [
        ["a", "c"],
        'error: no such tool "mcp__box__b"; there is "mcp__box__a"'
      ])
      assert.deepStrictEqual(degraded, ['it does not list "d", which its tools shall be'])
      const listed = events.flatMap((event) =>
        event._tag === "ToolsListed" ? event.tools.map(({ tool }) => tool) : []
      )
      assert.deepStrictEqual(listed, ["a", "c"])
    })
  )

  it.effect("are waited for as long as a call of it, and a minute at most", () =>
    Effect.gen(function* () {
      const silent: Offer = { first: ({ json }) => json?.method === "tools/list" }
      for (const [timeout, waited] of [
        [800, 800],
        [300_000, 60_000]
      ] as const) {
        const server = yield* served(silent)
        const servers = { box: Server.http(server.url, { timeout }) }
        const run = yield* Effect.forkChild(
          Effect.flip(Effect.provide(Agent.run(agent(servers), "Go"), AgentTest.script()))
        )
        yield* until(() => server.methods().includes("tools/list"))
        yield* TestClock.adjust(waited)
        assert.include((yield* Fiber.join(run)).message, `no answer within ${waited} ms`)
      }
    })
  )

  it.effect("are called although its resources cannot be listed", () =>
    Effect.gen(function* () {
      const server = yield* served({
        tools: [tool("x")],
        capabilities: { tools: {}, resources: {} },
        first: ({ json }, reply) => {
          if (json?.method === "resources/list") reply.json(failure(json.id, -32603, "no table"))
          return json?.method === "resources/list"
        }
      })
      const { degraded, outcome } = yield* heard({ box: server.url }, AgentTest.callNamed("x"), AgentTest.say("ok"))
      assert.deepStrictEqual(
        outcome.calls().map((call) => call.tool),
        ["x"]
      )
      assert.include(degraded.join(), "its resources could not be listed")
    })
  )

  it.effect("are told of with a hash and a length, never their text (A38)", () =>
    Effect.gen(function* () {
      const server = yield* served({ tools: [tool("x", { description: "Open sesame" }), tool("y")] })
      const { events } = yield* heard({ box: server.url }, AgentTest.say("ok"))
      const listed = events.find((event) => event._tag === "ToolsListed")
      assert.deepInclude(listed, {
        server: "box",
        tools: [
          { tool: "x", hash: "b5906bdf265ceed4", length: 11 },
          { tool: "y", hash: "e3b0c44298fc1c14", length: 0 }
        ]
      })
      assert.notInclude(JSON.stringify(listed), "sesame")
    })
  )
})

const first = Endpoint.make("first", { description: "Before" })
const second = Endpoint.make("second", { description: "Added" })
const again = Endpoint.make("first", { description: "After, and other words" })

/** A server whose tool `change` adds one and replaces another, as often as it is called. */
const changing = Mcp.make({ name: "live", version: "1.0.0" })
  .tool(first, () => Effect.succeed("one"))
  .tool("change", { description: "Changes the tools" }, () =>
    Effect.orDie(
      Effect.gen(function* () {
        const live = yield* Live
        yield* live.remove({ tools: ["first", "second"] })
        const part = Mcp.make({ name: "part", version: "1.0.0" })
          .tool(again, () => Effect.succeed("other one"))
          .tool(second, () => Effect.succeed("two"))
        yield* live.add(part)
        return "changed"
      })
    )
  )

describe("tools that change", () => {
  it.effect("natively are other ones from the next step on, and the transcript stays (A36, A37, A38)", () =>
    Effect.gen(function* () {
      let asked = false
      const running = yield* Effect.forkChild(
        heard(
          { live: changing },
          AgentTest.together(AgentTest.call(first), AgentTest.callNamed("change")),
          (seen) => {
            asked = true
            assert.deepStrictEqual(offered(seen), ["first", "change"])
            return AgentTest.after(60, AgentTest.callNamed("change"))
          },
          (seen) => {
            assert.sameMembers([...offered(seen)], ["first", "change", "second"])
            assert.deepStrictEqual(
              seen.results.map(({ value }) => value),
              ["one", "changed", "changed"]
            )
            return AgentTest.together(AgentTest.call(second), AgentTest.call(again))
          },
          (seen) => AgentTest.answer(seen.results.map(({ value }) => value))
        )
      )
      yield* until(() => asked)
      yield* TestClock.adjust(60)
      const { events, outcome } = yield* Fiber.join(running)
      assert.deepStrictEqual(JSON.parse(outcome.text), ["one", "changed", "changed", "two", "other one"])
      const changes = events.filter((event) => event._tag === "ToolDescriptionChanged")
      assert.strictEqual(changes.length, 1)
      assert.deepInclude(changes[0], { server: "live", tool: "first" })
      assert.match(JSON.stringify(changes[0]), /"before":"[0-9a-f]{16}","after":"[0-9a-f]{16}"/)
      assert.notInclude(JSON.stringify(events), "other words")
    })
  )

  /** Tells on the stream of a call that the tools are other ones. */
  const telling =
    (offer: Offer, times: number): HttpScript =>
    async ({ json }, reply) => {
      offer.tools = [tool("b", { description: "new" })]
      const stream = reply.stream()
      for (let count = 0; count < times; count++) {
        await stream.event({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
      }
      await stream.event(result(json.id, said("ok")))
      stream.end()
    }

  it.effect(
    "in the compat era are listed again where it is offered; told twice, it comes to the same (A36, A182)",
    () =>
      Effect.gen(function* () {
        for (const times of [1, 2]) {
          const offer: Offer = { tools: [tool("a")], capabilities: { tools: { listChanged: true } } }
          offer.call = telling(offer, times)
          const server = yield* serving(compat(offer))
          const { outcome } = yield* heard({ box: server.url }, AgentTest.callNamed("a"), sayOffered)
          assert.deepStrictEqual(JSON.parse(outcome.text), ["b"])
          assert.strictEqual(server.of("tools/list").length, 2)
        }
      })
  )

  it.effect("in the compat era stay where it was not offered (A36)", () =>
    Effect.gen(function* () {
      const offer: Offer = { tools: [tool("a")] }
      offer.call = telling(offer, 1)
      const server = yield* serving(compat(offer))
      const { outcome } = yield* heard({ box: server.url }, AgentTest.callNamed("a"), sayOffered)
      assert.deepStrictEqual(JSON.parse(outcome.text), ["a"])
    })
  )

  it.effect("stay as they were where they cannot be listed again, which is told of (A37)", () =>
    Effect.gen(function* () {
      const offer: Offer = { tools: [tool("a")], capabilities: { tools: { listChanged: true } } }
      let lists = 0
      offer.call = telling(offer, 1)
      offer.first = ({ json }, reply) => {
        if (json?.method !== "tools/list" || lists++ === 0) return false
        reply.json(failure(json.id, -32603, "the disk is full"))
        return true
      }
      const server = yield* serving(compat(offer))
      const { degraded, outcome } = yield* heard(
        { box: server.url },
        AgentTest.callNamed("a"),
        AgentTest.callNamed("a", { once: "more" }),
        sayOffered
      )
      assert.deepStrictEqual(JSON.parse(outcome.text), ["a"])
      assert.include(degraded.join(), "the disk is full")
    })
  )

  it.effect("are listed in the next turn where the turn that would have done so was cancelled", () =>
    Effect.gen(function* () {
      const offer: Offer = { tools: [tool("a")], capabilities: { tools: { listChanged: true } } }
      let lists = 0
      const controller = new AbortController()
      offer.call = telling(offer, 1)
      offer.first = ({ json }) => {
        if (json?.method !== "tools/list" || ++lists !== 2) return false
        controller.abort()
        return true
      }
      const server = yield* serving(compat(offer))
      const model = AgentTest.script(AgentTest.callNamed("a"), sayOffered)
      const connected = yield* Effect.provide(
        Effect.gen(function* () {
          const one = yield* Agent.connect(agent({ box: server.url }))
          const cancelled = yield* one.run("Go", { signal: controller.signal })
          return { cancelled, next: yield* one.run("Go") }
        }),
        model
      )
      assert.strictEqual(connected.cancelled.status, "cancelled")
      assert.deepStrictEqual(JSON.parse(connected.next.text), ["b"])
    })
  )
})

describe("foreign tools", () => {
  it.effect(
    "have names that all providers take, each its own, and are called by the names of their server (A8, B010)",
    () =>
      Effect.gen(function* () {
        const names = ["a.b", "a_b", "a/b", "日本", "x".repeat(128), `${"x".repeat(127)}y`, "y".repeat(1_000), "finish"]
        const server = yield* serving(native({ tools: names.map((name) => tool(name)) }))
        let before: ReadonlyArray<string> = []
        for (const round of [1, 2]) {
          const { outcome } = yield* heard(
            { "box office": server.url },
            (seen) => {
              const all = seen.tools.filter((one) => one.server !== "").map(({ name }) => name)
              assert.strictEqual(new Set(all).size, names.length)
              for (const name of all) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
              if (round === 2) assert.deepStrictEqual(all, before)
              before = all
              return AgentTest.together(...all.map((name) => AgentTest.callNamed(name)))
            },
            AgentTest.say("ok")
          )
          assert.strictEqual(outcome.status, "completed")
        }
        assert.deepStrictEqual(
          server.of("tools/call").map(({ params }) => params.name),
          [...names, ...names]
        )
      })
  )

  it.effect("with one name are one tool, the first", () =>
    Effect.gen(function* () {
      const twice = [tool("x", { description: "one" }), tool("x", { description: "other" }), tool("y")]
      const server = yield* serving(native({ tools: twice }))
      yield* heard({ box: server.url }, (seen) => {
        assert.deepStrictEqual(offered(seen), ["x", "y"])
        assert.strictEqual(seen.tools.find((one) => one.tool === "x")?.description, "one")
        return AgentTest.say("ok")
      })
    })
  )

  it.effect("are left out, and told of, where no model could read their schema (B096)", () =>
    Effect.gen(function* () {
      let deep: object = { type: "object" }
      for (let level = 0; level < 200; level++) deep = { type: "object", properties: { a: deep } }
      const wide = {
        type: "object",
        properties: { a: { anyOf: Array.from({ length: 5_000 }, (_, n) => ({ const: `value ${n}` })) } }
      }
      const recursive = { type: "object", properties: { a: { allOf: [{ $ref: "#" }] } } }
      const server = yield* serving(
        native({
          tools: [
            { name: "deep", inputSchema: deep },
            { name: "wide", inputSchema: wide },
            { name: "recursive", inputSchema: recursive },
            { name: "none", inputSchema: "no object" },
            tool("good")
          ]
        })
      )
      const { degraded, outcome } = yield* heard({ box: server.url }, sayOffered)
      assert.deepStrictEqual(JSON.parse(outcome.text), ["recursive", "good"])
      assert.isTrue(degraded.some((what) => what.includes('"wide"') && what.includes("100000")))
    })
  )

  it.effect("are described at a length that a model can bear", () =>
    Effect.gen(function* () {
      const server = yield* serving(native({ tools: [tool("x", { description: "d".repeat(1_000_000) })] }))
      yield* heard({ box: server.url }, (seen) => {
        assert.isBelow(seen.tools.find((one) => one.tool === "x")?.description?.length ?? 0, 10_100)
        return AgentTest.say("ok")
      })
    })
  )

  it.effect("with input are typed by the contract of whoever tests them", () =>
    Effect.gen(function* () {
      const echo = Endpoint.make("echo", { description: "Says it again", input: { text: Schema.String } })
      const server = yield* serving(
        native({
          tools: [tool("echo")],
          call: ({ json }, reply) => reply.json(result(json.id, said(json.params.arguments.text)))
        })
      )
      const servers = { box: Server.http(server.url) }
      const { outcome } = yield* heard(servers, AgentTest.call(echo, { text: "hi" }), (seen) =>
        AgentTest.say(seen.last(echo) ?? "nothing")
      )
      assert.strictEqual(outcome.text, "hi")
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { ClientRequest } from "@treadle/protocol/schema"
import type { McpReason, McpSession } from "../../src/index.ts"
import { fact, listed, ping, reasonOf, result, rpcError, textResult } from "../fixtures.ts"
import { cells, everything, play, type Part } from "../played.ts"

const methods = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] as const

const members = {
  tools: "tools",
  resources: "resources",
  "resources/templates": "resourceTemplates",
  prompts: "prompts"
}

const memberOf = (method: string): string =>
  Object.entries(members).find(([key]) => `${key}/list` === method)?.[1] ?? ""

/** An entry of any list. */
const entry = (name: string): object => ({ ...listed(name), uri: `box://${name}`, uriTemplate: `box://${name}/{id}` })

const all = (session: McpSession) => ({
  "tools/list": session.listTools(),
  "resources/list": session.listResources(),
  "resources/templates/list": session.listTemplates(),
  "prompts/list": session.listPrompts()
})

const names = (entries: ReadonlyArray<{ readonly name: string }>) => entries.map(({ name }) => name)

/** What is logged while an effect runs. */
const logging = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const said: Array<string> = []
  const logger = Logger.make(({ message }) => void said.push(String(message)))
  return Effect.map(Effect.provide(effect, Logger.layer([logger])), (value) => ({ value, said }))
}

describe.each(cells)("the lists of a server that is $name", ({ era, over }) => {
  const served = (more: Omit<Part, "era" | "over">) => play({ era, over, ...more })

  it.effect("A26 PAGE-02 PAGE-05: are drained in order over their pages, whose cursors may be empty", () =>
    Effect.gen(function* () {
      const pages: { readonly [cursor: string]: readonly [ReadonlyArray<string>, string?] } = {
        first: [["a", "b"], ""],
        "": [["c"], "x y"],
        "x y": [[], "last"],
        last: [["d"]]
      }
      const { of, session } = yield* served({
        answer: ({ id, method, params }) => {
          const [entries = [], nextCursor] = pages[params?.cursor ?? "first"] ?? []
          const next = nextCursor === undefined ? {} : { nextCursor }
          return result(id, { [memberOf(method)]: entries.map(entry), ...next })
        }
      })
      for (const method of methods) {
        assert.deepStrictEqual(names(yield* all(session)[method]), ["a", "b", "c", "d"], method)
        assert.deepStrictEqual(
          of(method).map(({ params }) => params?.cursor),
          [undefined, "", "x y", "last"]
        )
      }
    })
  )

  it.effect("A27: end with an error where a cursor comes again, and the session goes on", () =>
    Effect.gen(function* () {
      const { of, session } = yield* served({
        answer: ({ id, method }) =>
          result(id, method === "tools/call" ? textResult("ok") : { [memberOf(method)]: [], nextCursor: "a" })
      })
      for (const method of methods) {
        const reason = yield* reasonOf(all(session)[method])
        assert.include(reason.message, `the cursor "a" came twice`)
        assert.strictEqual(of(method).length, 2)
      }
      assert.strictEqual(yield* session.call(ping)(), "ok")
    })
  )

  it.effect("CACHE-10 PAGE-04: begin anew once where a cursor is refused, and give no entry twice", () =>
    Effect.gen(function* () {
      let refusals = 1
      const { of, session } = yield* served({
        answer: ({ id, params }) => {
          if (params?.cursor === undefined) return result(id, { tools: [listed("a")], nextCursor: `c${refusals}` })
          if (refusals-- > 0) return rpcError(id, -32602, "that cursor is of an older list")
          return result(id, { tools: [listed("b")] })
        }
      })
      assert.deepStrictEqual(names(yield* session.listTools()), ["a", "b"])
      assert.deepStrictEqual(
        of("tools/list").map(({ params }) => params?.cursor),
        [undefined, "c1", undefined, "c0"]
      )
      refusals = 2
      assert.strictEqual(fact(yield* reasonOf(session.listTools()), "code"), -32602)
      assert.strictEqual(of("tools/list").length, 8)
    })
  )

  it.effect("are not begun anew where the first page is refused", () =>
    Effect.gen(function* () {
      const { of, session } = yield* served({ answer: ({ id }) => rpcError(id, -32602, "no") })
      assert.strictEqual(fact(yield* reasonOf(session.listTools()), "code"), -32602)
      assert.strictEqual(of("tools/list").length, 1)
    })
  )

  it.effect("A22 B039: are empty where the server does not offer them, and it is not asked", () =>
    Effect.gen(function* () {
      const { sent, session } = yield* served({ capabilities: {} })
      const before = sent.events.length
      for (const method of methods) assert.deepStrictEqual(yield* all(session)[method], [])
      assert.strictEqual(sent.events.length, before)
    })
  )

  it.effect("B039: are empty, with a warning, where the server offers them and does not know the method", () =>
    Effect.gen(function* () {
      const { of, session } = yield* served({ answer: ({ id }) => rpcError(id, -32601, "Method not found") })
      for (const method of methods) {
        const { said, value } = yield* logging(all(session)[method])
        assert.deepStrictEqual(value, [])
        assert.include(said.join(), `offers a list of ${memberOf(method)}`)
        assert.strictEqual(of(method).length, 1)
      }
    })
  )

  it.effect("keep what can be read, and name in a warning what cannot", () =>
    Effect.gen(function* () {
      const bad = { ...entry("bad"), title: 5 }
      const { session } = yield* served({
        answer: ({ id, method }) => result(id, { [memberOf(method)]: [entry("a"), bad, 7, entry("b")] })
      })
      const named = ["bad", "box://bad", "box://bad/{id}", "bad"]
      for (const [index, method] of methods.entries()) {
        const { said, value } = yield* logging(all(session)[method])
        assert.deepStrictEqual(names(value), ["a", "b"])
        assert.include(said.join(), `${JSON.stringify(named[index])} is left out`)
        assert.include(said.join(), "undefined is left out")
      }
    })
  )
})

describe.each(cells)("a request of a session that is $name", ({ era, over }) => {
  const served = (more: Omit<Part, "era" | "over"> = {}) => play({ era, over, ...more })

  it.effect("A22 B039: fails with NotOffered where the server does not offer it, and is not sent", () =>
    Effect.gen(function* () {
      const { sent, session } = yield* served({ capabilities: { resources: {} } })
      const before = sent.events.length
      const refused = {
        tools: session.callTool("seat"),
        "prompts/get": session.getPrompt("greet"),
        completions: session.complete({ type: "ref/prompt", name: "greet" }, { name: "who", value: "" }),
        logging: session.setLogLevel("info"),
        "resources.subscribe": session.request(ClientRequest.subscribe("box://a")),
        unsubscribe: session.request(ClientRequest.unsubscribe("box://a")),
        "tools.listChanged": Effect.scoped(session.watch({ tools: true })),
        updates: Effect.scoped(session.watch({ uris: ["box://a"] })),
        ...(era === "native"
          ? { ping: session.ping() }
          : { discover: session.request(ClientRequest.discover()), listen: session.request(ClientRequest.listen({})) })
      } satisfies { readonly [what: string]: Effect.Effect<unknown, unknown> }
      for (const [what, request] of Object.entries(refused)) {
        const reason: McpReason = yield* reasonOf(request)
        assert.strictEqual(reason._tag, "NotOffered", what)
      }
      assert.strictEqual(sent.events.length, before)
    })
  )

  it.effect("A25 INIT-09: keeps to what was agreed, whatever a notification claims", () =>
    Effect.gen(function* () {
      const { of, sent, session, tell } = yield* served({ capabilities: { tools: { listChanged: true } } })
      const changes = yield* session.watch({ tools: true })
      assert.isDefined(changes)
      const before = session.capabilities
      yield* tell("notifications/tools/list_changed", { capabilities: everything })
      yield* session.callTool("seat")
      assert.deepStrictEqual(session.capabilities, before)
      assert.strictEqual((yield* reasonOf(session.getPrompt("greet")))._tag, "NotOffered")
      assert.deepStrictEqual([of("prompts/get"), sent.events.at(-1).method], [[], "tools/call"])
    })
  )

  it.effect("is sent as the specification writes it, and gives what came", () =>
    Effect.gen(function* () {
      const contents = [{ uri: "box://a", text: "seat map" }]
      const completion = { values: ["Ann"], total: 1 }
      const messages = [{ role: "user", content: { type: "text", text: "Hello" } }]
      const bodies: { readonly [method: string]: object } = {
        "resources/read": { contents },
        "prompts/get": { messages },
        "completion/complete": { completion }
      }
      const { of, session } = yield* served({ answer: ({ id, method }) => result(id, bodies[method] ?? {}) })
      const paramsOf = (method: string) => {
        const { _meta, ...params } = of(method)[0].params
        return params
      }
      assert.deepStrictEqual((yield* session.readResource("box://a")).contents as unknown, contents)
      assert.deepStrictEqual(paramsOf("resources/read"), { uri: "box://a" })
      assert.deepStrictEqual((yield* session.getPrompt("greet", { who: "Ann" })).messages as unknown, messages)
      assert.deepStrictEqual(paramsOf("prompts/get"), { name: "greet", arguments: { who: "Ann" } })
      const ref = { type: "ref/resource", uri: "box://{who}/{seat}" } as const
      const completed = yield* session.complete(ref, { name: "who", value: "A" }, { seat: "4" })
      assert.deepStrictEqual(completed.completion as unknown, completion)
      assert.deepStrictEqual(paramsOf("completion/complete"), {
        ref,
        argument: { name: "who", value: "A" },
        context: { arguments: { seat: "4" } }
      })
      if (era === "compat") yield* session.ping()
      assert.strictEqual(of("ping").length, era === "compat" ? 1 : 0)
    })
  )

  it.effect("A46: fails with the server's own error, which names the URI, where there is no such resource", () =>
    Effect.gen(function* () {
      const code = era === "native" ? -32602 : -32002
      const { session } = yield* served({
        answer: ({ id, params }) => rpcError(id, code, "Resource not found", { uri: params.uri })
      })
      const reason = yield* reasonOf(session.readResource("box://gone"))
      assert.deepInclude(reason, { _tag: "Rpc", code, data: { uri: "box://gone" } })
      assert.strictEqual(session.counters().links, 1)
    })
  )
})

describe("session.setLogLevel", () => {
  it.effect("LOG-02: natively goes with every request from then on", () =>
    Effect.gen(function* () {
      const { of, sent, session } = yield* play({ era: "native" })
      yield* session.callTool("a")
      yield* session.setLogLevel("warning")
      yield* session.callTool("b")
      const levels = of("tools/call").map(({ params }) => params._meta["io.modelcontextprotocol/logLevel"])
      assert.deepStrictEqual(levels, [undefined, "warning"])
      assert.strictEqual(sent.events.length, 3)
    })
  )

  it.effect("LOG-07: in the compat era is a request, which a new session gets again before anything else", () =>
    Effect.gen(function* () {
      let lost = false
      const { of, sent, session } = yield* play({
        era: "compat",
        first: ({ headers }, reply) => {
          if (!lost || headers["mcp-session-id"] !== "s1") return false
          reply.raw("", {}, 404)
          return true
        }
      })
      yield* session.setLogLevel("warning")
      lost = true
      yield* session.callTool("a")
      assert.deepStrictEqual(
        of("logging/setLevel").map(({ headers, params }) => [params.level, headers["mcp-session-id"]]),
        [
          ["warning", "s1"],
          ["warning", "s2"]
        ]
      )
      assert.deepStrictEqual(
        sent.events.slice(-4).map(({ method }) => method),
        ["initialize", "notifications/initialized", "logging/setLevel", "tools/call"]
      )
    })
  )
})

import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Agent, SecretError, SecretStore, Server, type AgentEvent } from "@treadle/agent"
import { AgentTest, type TurnLike } from "@treadle/agent/test"
import { eras, failure, native, result, said, serving, tool } from "../wire.ts"

const secret = "k-7f3a9c-hunter2"

const agent = (url: string, headers: { readonly [name: string]: string }) =>
  Agent.make({ name: "reviewer", instruction: "You review.", servers: { box: Server.http(url, { headers }) } })

const bearer = { authorization: "Bearer {{secret:BOX}}", "x-plain": "as it is" }

const store = SecretStore.layerNames({ BOX: secret })

const ok = () => AgentTest.script(AgentTest.say("ok"))

/** Everything that can be made of a value for people and logs. */
const printed = (value: unknown): string =>
  [
    String(value),
    JSON.stringify(value) ?? "",
    inspect(value, { depth: 12, showHidden: true }),
    Inspectable.toStringUnknown(value),
    value instanceof Error ? `${value.stack} ${inspect(value.cause, { depth: 12 })}` : ""
  ].join("\n")

/** Runs an agent and keeps all that is recorded: events, logs, prompts and how it ended. */
const recorded = (url: string, headers: { readonly [name: string]: string }, turns: ReadonlyArray<TurnLike>) =>
  Effect.gen(function* () {
    const all: Array<string> = []
    const logger = Logger.make((options) => void all.push(printed(options.message), printed(options.cause)))
    const seeing = turns.map((turn): TurnLike => (seen) => {
      all.push(seen.prompt, printed(seen.tools))
      return typeof turn === "function" ? turn(seen) : turn
    })
    const onEvent = (event: AgentEvent) => void all.push(printed(event))
    const one = agent(url, headers)
    all.push(printed(one), printed(one.definition), printed(Agent.check(one)))
    const exit = yield* Effect.exit(
      Effect.provide(Agent.run(one, "Go", { onEvent }), [AgentTest.script(...seeing), store, Logger.layer([logger])])
    )
    all.push(printed(exit))
    return { exit, text: all.join("\n") }
  })

describe.each(eras)("a secret in a header of a server that is $era", ({ serve }) => {
  it.effect("is on the wire with every request, and other headers are as they are (A164)", () =>
    Effect.gen(function* () {
      const server = yield* serving(serve({ tools: [tool("x")] }))
      const model = AgentTest.script(AgentTest.callNamed("x"), AgentTest.say("ok"))
      yield* Effect.provide(Agent.run(agent(server.url, bearer), "Go"), [model, store])
      assert.isAbove(server.seen.events.length, 2)
      for (const { headers } of server.seen.events) {
        assert.strictEqual(headers["authorization"], `Bearer ${secret}`)
        assert.strictEqual(headers["x-plain"], "as it is")
      }
    })
  )

  it.effect("that is missing fails the run, names the reference, and nothing is sent (A164)", () =>
    Effect.gen(function* () {
      const server = yield* serving(serve({}))
      const stores = [SecretStore.layerNames({}), SecretStore.layerNames({ BOX: "" }), undefined]
      for (const one of stores) {
        const run = Effect.provide(Agent.run(agent(server.url, bearer), "Go"), AgentTest.script())
        const failed = yield* Effect.flip(one === undefined ? run : Effect.provide(run, one))
        assert.deepInclude(failed.reason, { _tag: "RequiredServerDown", server: "box" })
        assert.include(failed.message, "{{secret:BOX}}")
      }
      assert.deepStrictEqual(server.seen.events, [])
    })
  )

  it.effect("is read anew by the run that connects next (A167)", () =>
    Effect.gen(function* () {
      const server = yield* serving(serve({}))
      let value = "first"
      const rotating = SecretStore.of({ read: () => Effect.sync(() => Redacted.make(value)) })
      const run = Effect.provideService(
        Effect.provide(Agent.run(agent(server.url, bearer), "Go"), ok()),
        SecretStore,
        rotating
      )
      yield* run
      value = "second"
      const before = server.seen.events.length
      yield* run
      const sent = server.seen.events.map(({ headers }) => headers["authorization"])
      assert.deepStrictEqual(new Set(sent.slice(0, before)), new Set(["Bearer first"]))
      assert.deepStrictEqual(new Set(sent.slice(before)), new Set(["Bearer second"]))
    })
  )

  it.effect("is in nothing that is recorded of a run that goes well (A166)", () =>
    Effect.gen(function* () {
      const server = yield* serving(serve({ tools: [tool("x")], resources: [{ uri: "box://a", name: "a" }] }))
      const { exit, text } = yield* recorded(server.url, bearer, [AgentTest.callNamed("x"), AgentTest.say("ok")])
      assert.strictEqual(exit._tag, "Success")
      assert.include(text, "ToolReturned")
      assert.notInclude(text, secret)
      assert.notInclude(text, Buffer.from(secret).toString("base64"))
    })
  )

  it.effect("is in nothing that is recorded of a run that fails, in whatever way (A166)", () =>
    Effect.gen(function* () {
      const down = yield* serving((_, reply) => reply.destroy())
      const denied = yield* serving((_, reply) => reply.raw("no", { "www-authenticate": "Bearer" }, 401))
      const broken = yield* serving(
        serve({ tools: [tool("x")], call: ({ json }, reply) => reply.json(failure(json.id, -32603, "boom")) })
      )
      for (const server of [down, denied]) {
        const { exit, text } = yield* recorded(server.url, bearer, [])
        assert.strictEqual(exit._tag, "Failure")
        assert.notInclude(text, secret)
      }
      const turns = [1, 2, 3].map((n) => AgentTest.callNamed("x", { n }))
      const { exit, text } = yield* recorded(broken.url, bearer, turns)
      assert.strictEqual(exit._tag, "Failure")
      assert.include(text, "boom")
      assert.notInclude(text, secret)
    })
  )
})

describe("a credential", () => {
  it.effect("that is written out in a header that carries one is refused before anything is sent (A165)", () =>
    Effect.gen(function* () {
      const server = yield* serving(native({}))
      const names = ["Authorization", "X-Api-Key", "api-key", "token", "x-token", "password", "client_secret", "Cookie"]
      for (const name of names) {
        const inline = agent(server.url, { [name]: secret })
        assert.deepStrictEqual(Agent.check(inline), [{ _tag: "InlineCredential", server: "box", header: name }])
        const failed = yield* Effect.flip(Effect.provide(Agent.run(inline, "Go"), AgentTest.script()))
        assert.strictEqual(failed.reason._tag, "InvalidDefinition")
        assert.notInclude(`${failed.message} ${JSON.stringify(failed)}`, secret)
      }
      assert.deepStrictEqual(server.seen.events, [])
    })
  )

  it.effect("whose value cannot be a header fails the run without telling it", () =>
    Effect.gen(function* () {
      const server = yield* serving(native({}))
      const folded = SecretStore.layerNames({ BOX: `${secret}\r\nx-other: 1` })
      const run = Agent.run(agent(server.url, bearer), "Go")
      const failed = yield* Effect.flip(Effect.provide(run, [AgentTest.script(), folded]))
      assert.strictEqual(failed.reason._tag, "RequiredServerDown")
      assert.notInclude(printed(failed), "hunter2")
      assert.deepStrictEqual(server.seen.events, [])
    })
  )

  it("that cannot be read is told by its reference", () => {
    const error = new SecretError({ reference: { kind: "secret-file", name: "/run/box" }, why: "it is empty" })
    assert.strictEqual(error.message, "{{secret-file:/run/box}} cannot be read: it is empty")
  })

  it.effect("that a server sends back reaches the model as that server's words, and no other server", () =>
    Effect.gen(function* () {
      const other = yield* serving(native({ tools: [tool("y")] }))
      const echo = yield* serving(
        native({
          tools: [tool("x")],
          call: ({ headers, json }, reply) => reply.json(result(json.id, said(String(headers["x-plain"]))))
        })
      )
      const both = Agent.make({
        name: "r",
        instruction: "Go.",
        servers: { echo: Server.http(echo.url, { headers: bearer }), other: other.url }
      })
      const model = AgentTest.script(
        AgentTest.together(AgentTest.callNamed("x"), AgentTest.callNamed("y")),
        AgentTest.say("ok")
      )
      yield* Effect.provide(Agent.run(both, "Go"), [model, store])
      for (const { headers } of other.seen.events) assert.isUndefined(headers["authorization"])
    })
  )
})

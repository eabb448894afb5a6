import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "@effect/vitest"
import { scriptedHttp } from "@treadle/testing"
import { Agent, Server, type AgentDefinition, type Servers } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { Endpoint, Mcp } from "@treadle/server"
import * as Schema from "effect/Schema"
import { type } from "arktype"
import * as z from "zod"
import { describeProblem } from "../src/AgentProblem.ts"
import { kb } from "./kb.ts"

const made = (more: Partial<Omit<AgentDefinition, "model">>) =>
  Agent.make({ name: "reviewer", instruction: "You review.", ...more })

const problems = (servers: Servers) => Agent.check(made({ servers }))

const tags = (servers: Servers) => problems(servers).map(({ _tag }) => _tag)

const why = (url: string): string =>
  problems({ box: url })
    .map((one) => ("why" in one ? one.why : one._tag))
    .join("; ")

/** Runs an agent, which is told to answer at once. */
const seen = (servers: Servers) =>
  Effect.gen(function* () {
    let tools: ReadonlyArray<string> = []
    const model = AgentTest.script((shown) => {
      tools = shown.tools.map(({ name, server }) => (server === "" ? "own" : name))
      return AgentTest.say("ok")
    })
    yield* Effect.provide(Agent.run(made({ servers }), "Go"), model)
    return tools
  })

describe("the definition of an agent", () => {
  it.effect("without servers offers its model nothing but the agent's own tools (A1)", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(new Set(yield* seen({})), new Set(["own"]))
      assert.include(yield* seen({ kb }), "mcp__kb__search")
    })
  )

  it("whose answer no model can be told of is wrong, and says why (A153)", () => {
    const of = (answer: unknown) =>
      Agent.check(made({ answer: answer as NonNullable<AgentDefinition["answer"]> })).map(describeProblem)
    assert.deepStrictEqual(of(z.object({ when: z.array(z.string()) })), [])
    assert.deepStrictEqual(of(z.array(z.string())), [])
    assert.deepStrictEqual(of(type({ when: "string" })), [])
    assert.deepStrictEqual(of(Schema.Array(Schema.Date)), [])
    assert.include(of(Schema.Struct({ at: Schema.instanceOf(Map) }))[0], "answer.at: it has no JSON form")
    assert.include(of(z.object({ when: z.date() }))[0], "answer.when: it cannot be printed as JSON Schema")
    for (const none of [{}, { type: "object" }, "text"]) {
      assert.deepStrictEqual(of(none), [
        "answer: it is no schema; write Schema.Struct({ … }) or z.object({ … }), or leave it out for text."
      ])
    }
  })

  it("with another agent as its server tells what is wrong with that one, and where it is (A10)", () => {
    const docs = Server.http("http://docs.example")
    const helper = Agent.make({ name: "helper", instruction: " ", servers: { docs } })
    const author = made({ servers: { helper }, limits: { steps: -1 } })
    assert.deepStrictEqual(problems({ author }).map(describeProblem), [
      'in agent "author": limits.steps: it must be a whole number of 0 or more.',
      'in agent "author": in agent "helper": instruction: it must say what the agent is to do.',
      'in agent "author": in agent "helper": server "docs": plain http: is for loopback addresses only; use https:.'
    ])
  })

  it("may have each other as servers, and are each told of once", () => {
    const servers: { [name: string]: Agent<string> } = {}
    const team = Array.from({ length: 12 }, (_, number) =>
      Agent.make({ name: `agent ${number}`, instruction: number === 11 ? "" : "Go", servers })
    )
    for (const [number, agent] of team.entries()) servers[`s${number}`] = agent
    const [told, ...others] = problems(servers).map(describeProblem)
    assert.match(told ?? "", /^in agent "s0": .*in agent "s11": instruction: it must say what the agent is to do\.$/)
    assert.deepStrictEqual(others, [])
  })

  it("splits name=endpoint at the first =, and the endpoint may have some (A2)", () => {
    const [name, { url }] = Result.getOrThrow(Server.parse("docs=https://docs.example/mcp?a=1&b=2"))
    assert.deepStrictEqual([name, url], ["docs", "https://docs.example/mcp?a=1&b=2"])
  })

  it.each([
    ["docs", 'no "="'],
    ["=https://docs.example/mcp", "empty name"],
    ["docs=", "empty endpoint"],
    ["", 'no "="']
  ])("refuses %j as a server, and says why (A3)", (text, sentence) => {
    const parsed = Server.parse(text)
    assert.isTrue(Result.isFailure(parsed))
    if (Result.isFailure(parsed)) assert.include(parsed.failure, sentence)
  })

  it.effect("that is wrong fails a run before any server is asked (A3)", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp((_, reply) => reply.json({}))
      const agent = made({ servers: { box: server.url, "": server.url, empty: "" } })
      const failed = yield* Effect.flip(Effect.provide(Agent.run(agent, "Go"), AgentTest.script()))
      assert.strictEqual(failed.reason._tag, "InvalidDefinition")
      assert.deepStrictEqual(
        Agent.check(agent).map(({ _tag }) => _tag),
        ["InvalidServerName", "InvalidUrl"]
      )
      assert.deepStrictEqual(server.seen.events, [])
    })
  )

  it("takes plain http: to loopback addresses alone (A4)", () => {
    for (const host of ["localhost", "127.0.0.1", "127.8.9.10:80", "[::1]:3000"]) {
      assert.deepStrictEqual(problems({ box: `http://${host}/mcp` }), [], host)
    }
    const elsewhere = [
      "example.com",
      "127.0.0.1.example.com",
      "localhost.example.com",
      "10.0.0.1",
      "[::2]",
      "128.0.0.1"
    ]
    for (const host of elsewhere) assert.include(why(`http://${host}/mcp`), "use https:", host)
    assert.deepStrictEqual(problems({ box: "https://example.com/mcp" }), [])
  })

  it("refuses addresses of other schemes, and takes other transports as values (A5)", () => {
    for (const url of ["ws://localhost/mcp", "file:///etc/passwd", "stdio:node", "javascript:alert(1)"]) {
      assert.deepStrictEqual(tags({ box: url }), ["InvalidUrl"], url)
    }
    assert.include(why("no address at all"), "it is no address")
    assert.deepStrictEqual(problems({ kb, other: Server.from(() => Effect.never) }), [])
  })

  it("refuses an address or a header that holds a credential, and tells none of it", () => {
    const said = JSON.stringify([
      problems({ box: "https://me:hunter2@example.com/mcp" }),
      problems({ box: "https://hunter2@example.com/mcp" }),
      problems({ box: "https://exa mple/hunter2" }),
      problems({ box: Server.http("https://example.com", { headers: { "x-trace": "hunter2\r\nhost: evil" } }) }),
      problems({ box: Server.http("https://example.com", { headers: { "x trace": "hunter2" } }) })
    ])
    assert.notInclude(said, "hunter2")
    assert.deepStrictEqual(tags({ box: "https://me:hunter2@example.com/mcp" }), ["InvalidUrl"])
    const folded = Server.http("https://example.com", { headers: { "x-trace": "a\r\nb" } })
    assert.deepStrictEqual(tags({ box: folded }), ["InvalidServerSetting"])
  })

  it("refuses two servers of one name, and names that mean the agent itself (A6)", () => {
    assert.deepStrictEqual(
      tags([
        ["kb", kb],
        ["kb", kb]
      ]),
      ["DuplicateServer"]
    )
    assert.deepStrictEqual(tags({ code: kb, self: kb }), ["InvalidServerName", "InvalidServerName"])
    assert.deepStrictEqual(tags({ ["x".repeat(65)]: kb }), ["InvalidServerName"])
  })

  it.effect("keeps tools of one name apart, and each call reaches its own server (A7)", () =>
    Effect.gen(function* () {
      const search = Endpoint.make("search", { description: "Searches", input: { q: Schema.String } })
      const of = (name: string) =>
        AgentTest.recording(
          Mcp.make({ name, version: "1.0.0" }).tool(search, ({ q }) => Effect.succeed(`${name}: ${q}`))
        )
      const [one, other] = [of("one"), of("other")]
      const model = AgentTest.script(
        AgentTest.together(
          AgentTest.call(search, { q: "a" }, { server: "one" }),
          AgentTest.call(search, { q: "b" }, { server: "other" })
        ),
        (shown) => {
          assert.deepStrictEqual(
            shown.tools.flatMap(({ name, tool }) => (tool === "search" ? [name] : [])),
            ["mcp__one__search", "mcp__other__search"]
          )
          return AgentTest.answer(shown.results.map(({ value }) => value))
        }
      )
      const outcome = yield* Effect.provide(Agent.run(made({ servers: { one, other } }), "Go"), model)
      assert.deepStrictEqual(JSON.parse(outcome.text), ["one: a", "other: b"])
      assert.deepStrictEqual([one.calls(search).length, other.calls(search).length], [1, 1])
    })
  )

  it("tells every problem at once, each with its place and what to do (A10)", () => {
    const wrong = made({
      name: " ",
      instruction: "",
      limits: { steps: -1, depth: 1.5 },
      servers: {
        code: "ftp://example.com",
        box: Server.http("http://example.com", { headers: { authorization: "Bearer abc", accept: "{{secret:" } }),
        kb: Server.inProcess(kb, { timeout: 0, connectTimeout: Number.NaN })
      }
    })
    const found = Agent.check(wrong)
    assert.deepStrictEqual(
      found.map(({ _tag }) => _tag),
      [
        "InvalidField",
        "InvalidField",
        "InvalidField",
        "InvalidField",
        "InvalidServerName",
        "InvalidUrl",
        "InvalidUrl",
        "InlineCredential",
        "InvalidServerSetting",
        "InvalidServerSetting",
        "InvalidServerSetting"
      ]
    )
    const built = Agent.build(wrong)
    assert.isTrue(Result.isFailure(built))
    if (Result.isFailure(built)) {
      assert.include(built.failure.message, "for 11 reasons")
      assert.include(built.failure.message, "limits.depth")
      assert.notInclude(built.failure.message, "abc")
    }
  })

  it("refuses what is not there, as JavaScript may write it: fields, limits, tags, servers", () => {
    const foreign = { tool: [], limits: { step: 1 }, servers: { gone: undefined, odd: 5 } } as object
    assert.deepStrictEqual(
      Agent.check(made(foreign)).map(({ _tag }) => _tag),
      ["InvalidField", "InvalidField", "InvalidServerSetting", "InvalidServerSetting"]
    )
    const tagged = { kb: Server.inProcess(kb, { tags: ["dangerous"] as unknown as [] }) }
    assert.deepStrictEqual(tags(tagged), ["InvalidServerSetting"])
  })

  it.each([
    ["version", 1],
    ["description", {}],
    ["model", "gpt"],
    ["subagents", "no"],
    ["allowTrifecta", "no"],
    ["runIdKey", " "],
    ["runIdKey", "progressToken"],
    ["limits", null],
    ["answer", "text"],
    ["answer", Schema.declare((value): value is Date => value instanceof Date)]
  ])("refuses what cannot be its %s: %j (A10)", (name, value) => {
    const found = Agent.check(made({ [name]: value }))
    assert.deepStrictEqual(
      found.map((problem) => "field" in problem && problem.field),
      [name]
    )
  })
})

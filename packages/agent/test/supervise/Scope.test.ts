/**
 * What a child may reach: what its parent may or less, whatever is asked for.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Arbitrary from "effect/Arbitrary"
import { assert, describe, it } from "@effect/vitest"
import { Agent, Server, type ServerLike } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { ToolScope } from "../../src/ToolScope.ts"
import type { Tag } from "../../src/Tag.ts"
import { kb } from "../kb.ts"
import { asked, desk, refusalOf, says } from "./children.ts"

const server = (name: string, ...tags: ReadonlyArray<Tag>) => ({ name, tags })
const servers = [server("kb"), server("web"), server("mail")]

const names: ReadonlyArray<string> = ["a", "b", "c", "d"]

const chain = Arbitrary.schema(
  Schema.Array(Schema.UndefinedOr(Schema.Array(Schema.Literals(["a", "b", "c", "d", "other"]))))
)

describe("the scope of a child", () => {
  it.effect("is its caller's, or some of it, or nothing (A122)", () =>
    Effect.gen(function* () {
      const { specs, supervisor } = desk({ say: says("ok") }, { servers, scope: new Set(["kb", "web"]) })
      yield* supervisor.spawn(asked("say"))
      yield* supervisor.spawn(asked("say", { servers: ["web"] }))
      yield* supervisor.spawn(asked("say", { servers: [] }))
      assert.deepStrictEqual(
        specs.map(({ scope }) => scope),
        [new Set(["kb", "web"]), new Set(["web"]), new Set<string>()]
      )
    })
  )

  it.effect("is refused where it has what its caller has not, or what there is not, by name (A122)", () =>
    Effect.gen(function* () {
      const { specs, supervisor } = desk({ say: says("ok") }, { servers, scope: new Set(["kb"]) })
      const message = yield* refusalOf(supervisor.spawn(asked("say", { servers: ["kb", "mail", "mial"] })))
      assert.strictEqual(message, 'spawn refused: these servers cannot be given: "mail", "mial"')
      assert.deepStrictEqual(specs, [])
    })
  )

  it.prop("never grows along a chain, whatever is asked for on the way (A123)", [chain], ([steps]) => {
    let scope: ToolScope = "all"
    for (const step of steps) {
      const narrowed: Result.Result<ToolScope, ReadonlyArray<string>> = ToolScope.narrow(scope, step, names)
      const before = scope
      if (Result.isFailure(narrowed)) {
        assert.isTrue(narrowed.failure.every((name) => !names.includes(name) || !ToolScope.has(before, name)))
        continue
      }
      scope = narrowed.success
      for (const name of names) if (ToolScope.has(scope, name)) assert.isTrue(ToolScope.has(before, name))
    }
  })

  it.effect("is refused where it brings all three tags together, unless that is allowed (A174)", () =>
    Effect.gen(function* () {
      const tagged = [server("web", "untrusted_input"), server("files", "sensitive"), server("mail", "egress")]
      const { supervisor } = desk({ say: says("ok") }, { servers: tagged })
      const all = yield* Effect.flip(supervisor.spawn(asked("say")))
      assert.deepStrictEqual(all.reason, { _tag: "Trifecta", servers: ["web", "files", "mail"] })
      assert.strictEqual((yield* supervisor.spawn(asked("say", { servers: ["web", "mail"] }))).status, "completed")
      const allowing = desk({ say: says("ok") }, { servers: tagged, allowTrifecta: true })
      assert.strictEqual((yield* allowing.supervisor.spawn(asked("say"))).status, "completed")
    })
  )

  it.effect("of a whole agent may have any two tags; all three are refused, or allowed and told of (A173)", () =>
    Effect.gen(function* () {
      const tagged = (held: ReadonlyArray<ReadonlyArray<Tag> | undefined>, allowTrifecta = false) =>
        Agent.make({
          name: "tagged",
          instruction: "x",
          allowTrifecta,
          servers: held.map((tags, index) => [`s${index}`, Server.inProcess(kb, tags === undefined ? {} : { tags })])
        })
      assert.deepStrictEqual(Agent.check(tagged([["sensitive"], ["egress"]])), [])
      assert.deepStrictEqual(Agent.check(tagged([["sensitive"], undefined])), [])
      // One that says nothing brings untrusted input.
      const [problem] = Agent.check(tagged([["sensitive"], ["egress"], undefined]))
      assert.deepStrictEqual(problem, { _tag: "Trifecta", servers: ["s0", "s1", "s2"] })
      const told: Array<string> = []
      const allowed = tagged([["sensitive", "egress"], undefined], true)
      const run = Agent.run(allowed, "x", { onEvent: ({ _tag }) => told.push(_tag) })
      yield* Effect.provide(run, AgentTest.script(AgentTest.say("ok")))
      assert.include(told, "TrifectaAllowed")
    })
  )

  it("of an agent that is a server are those of its own servers too, unless something else is said (A173)", () => {
    const holds = (tags: ReadonlyArray<Tag>) => Server.inProcess(kb, { tags })
    const keeper = Agent.make({ name: "keeper", instruction: "x", servers: { files: holds(["sensitive"]) } })
    const middle = Agent.make({ name: "middle", instruction: "x", servers: { keeper } })
    const lead = (inner: ServerLike) =>
      Agent.check(Agent.make({ name: "lead", instruction: "x", servers: { inner, mail: holds(["egress"]) } }))
    assert.deepStrictEqual(lead(middle), [{ _tag: "Trifecta", servers: ["inner", "mail"] }])
    assert.deepStrictEqual(lead(Server.agent(middle, { tags: ["untrusted_input"] })), [])
    assert.deepStrictEqual(lead(Agent.make({ name: "bare", instruction: "x" })), [])
  })
})

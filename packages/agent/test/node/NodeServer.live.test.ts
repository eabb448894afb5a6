import { inspect } from "node:util"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "@effect/vitest"
import { isAlive, scriptedChild } from "@treadle/testing"
import { Agent, describeProblem, SecretStore, type AgentEvent } from "@treadle/agent"
import { NodeServer, type CommandSettings } from "@treadle/agent/node"
import { AgentTest, type TurnLike } from "@treadle/agent/test"

/** A program that speaks the compat era: it tells who it is, and dies when it is asked to. */
const program = scriptedChild((peer) => {
  const said = (text: string) => ({ content: [{ type: "text", text }] })
  peer.log("starting up\n")
  peer.onLine(({ id, method, params } = {}) => {
    if (method === "initialize") {
      const serverInfo = { name: "program", version: "1.0.0" }
      return peer.answer(id, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo })
    }
    if (method === "tools/list") {
      const inputSchema = { type: "object" }
      return peer.answer(id, { tools: ["pid", "die", "name", "repeat"].map((name) => ({ name, inputSchema })) })
    }
    if (method === "tools/call") {
      if (params.name === "die") return process.exit(3)
      if (params.name === "repeat") {
        process.stderr.write(`my name is ${process.env["PROGRAM"]}\n`, () => process.exit(3))
        return
      }
      peer.log(`asked for ${params.name}\n`)
      return peer.answer(id, said(params.name === "pid" ? String(process.pid) : (process.env["PROGRAM"] ?? "nobody")))
    }
    if (id !== undefined) {
      const error = { code: -32601, message: "no such method" }
      return peer.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`)
    }
  })
})

/** A program that logs to its standard output, and speaks nothing else. */
const chatty = scriptedChild((peer) => {
  peer.write(`${["listening", "on", "8080"].join(" ")}\n`)
  peer.onLine(() => {})
})

/** A program whose every answer is an error that names no request, as some give to what they cannot read. */
const nameless = scriptedChild((peer) => {
  peer.onLine(() => peer.write('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"What?"}}\n'))
})

const agent = (settings: CommandSettings = {}) =>
  Agent.make({
    name: "r",
    instruction: "Go.",
    servers: { program: NodeServer.command(program.command, program.args, settings) }
  })

const run = (settings: CommandSettings, ...turns: ReadonlyArray<TurnLike>) =>
  Effect.gen(function* () {
    const events: Array<AgentEvent> = []
    const ran = Agent.run(agent(settings), "Go", { onEvent: (event) => events.push(event) })
    const ended = yield* Effect.result(Effect.provide(ran, AgentTest.script(...turns)))
    return { ended, events }
  })

describe("a program as a server of an agent", () => {
  it.live("is started for a run, called, and gone with it; what it writes beside fails nothing (A73, A75)", () =>
    Effect.gen(function* () {
      const beside: Array<string> = []
      const { ended } = yield* run(
        { env: { PROGRAM: "somebody" }, onStderr: (text) => void beside.push(text) },
        AgentTest.together(AgentTest.callNamed("pid"), AgentTest.callNamed("name")),
        (seen) => AgentTest.answer(seen.results.map(({ value }) => value))
      )
      assert.strictEqual(ended._tag, "Success")
      if (ended._tag !== "Success") return
      const [pid, name] = JSON.parse(ended.success.text)
      assert.strictEqual(name, "somebody")
      assert.isFalse(isAlive(Number(pid)))
      assert.include(beside.join(""), "starting up")
      assert.include(beside.join(""), "asked for name")
    })
  )

  it.live("that dies in a call is started anew by the next one (A34)", () =>
    Effect.gen(function* () {
      const { ended } = yield* run(
        {},
        AgentTest.callNamed("pid"),
        AgentTest.callNamed("die"),
        AgentTest.callNamed("pid", { again: true }),
        (seen) => AgentTest.answer(seen.results.map(({ value }) => value))
      )
      assert.strictEqual(ended._tag, "Success")
      if (ended._tag !== "Success") return
      const [before, died, after] = JSON.parse(ended.success.text)
      assert.include(died, "Whether the call was made is not known")
      assert.match(after, /^\d+$/)
      assert.notStrictEqual(before, after)
    })
  )

  it.live("that dies again and again ends the run where the agent needs it, and is left out where not (A33)", () =>
    Effect.gen(function* () {
      const deaths = [1, 2, 3].map((n) => AgentTest.callNamed("die", { n }))
      const needed = yield* run({}, ...deaths)
      assert.isTrue(needed.ended._tag === "Failure" && needed.ended.failure.reason._tag === "RequiredServerDown")
      const optional = yield* run({ required: false }, ...deaths, (seen) => {
        assert.isFalse(seen.tools.some(({ server }) => server === "program"))
        return AgentTest.say("went on")
      })
      assert.isTrue(optional.ended._tag === "Success" && optional.ended.success.text === "went on")
      assert.isTrue(optional.events.some(({ _tag }) => _tag === "Degraded"))
    })
  )

  it.live("is given secrets of its environment by reference, and no error or event has them (A164, A166)", () =>
    Effect.gen(function* () {
      const store = SecretStore.layerNames({ NAME: "hunter2" })
      const env = { PROGRAM: "Ada {{secret:NAME}}" }
      const told = Effect.provide(
        run({ env }, AgentTest.callNamed("name"), (seen) => AgentTest.answer(seen.results[0]?.value)),
        store
      )
      const { ended } = yield* told
      assert.isTrue(ended._tag === "Success" && ended.success.text === '"Ada hunter2"')
      const repeats = Effect.provide(run({ env }, AgentTest.callNamed("repeat"), AgentTest.say("died")), store)
      const text = inspect(yield* repeats, { depth: 12, showHidden: true })
      assert.include(text, "my name is ***")
      assert.notInclude(text, "hunter2")
    })
  )

  it.live("whose secret is missing is not started, and the reference is named (A164)", () =>
    Effect.gen(function* () {
      const { ended } = yield* run({ env: { PROGRAM: "{{secret:NAME}}" } })
      assert.isTrue(ended._tag === "Failure")
      if (ended._tag !== "Failure") return
      assert.deepInclude(ended.failure.reason, { _tag: "RequiredServerDown", server: "program" })
      assert.include(ended.failure.message, "{{secret:NAME}} cannot be read: no SecretStore is provided")
    })
  )

  it("tells at definition what its environment and its arguments cannot have (A10, A164)", () => {
    const server = NodeServer.command("x", ["--key", "{{secret:KEY}}", "{{ name }}"], {
      env: { KEY: "{{secrets:KEY}}", NAME: "{{name}}" }
    })
    const checked = Agent.check(Agent.make({ name: "r", instruction: "Go.", servers: { box: server } }))
    assert.deepStrictEqual(checked.map(describeProblem), [
      'server "box", env "KEY": the reference at character 0 is of the kind "secrets"; there are {{secret:…}} and {{secret-file:…}}.',
      'server "box", argument 2: no secret is read for it, since everybody on the machine sees arguments; name it in env.'
    ])
  })

  it.live("that is not there fails the run, and names it (A16)", () =>
    Effect.gen(function* () {
      const missing = Agent.make({
        name: "r",
        instruction: "Go.",
        servers: { gone: NodeServer.command("treadle-there-is-no-such-program") }
      })
      const failed = yield* Effect.flip(Effect.provide(Agent.run(missing, "Go"), AgentTest.script()))
      assert.deepInclude(failed.reason, { _tag: "RequiredServerDown", server: "gone" })
      assert.include(failed.message, "treadle-there-is-no-such-program")
    })
  )

  it.live("that logs where messages are expected is told of, and its words are not", () =>
    Effect.gen(function* () {
      const settings = { connectTimeout: 1_500, probeTimeout: 300 }
      const servers = { chatty: NodeServer.command(chatty.command, chatty.args, settings) }
      const ran = Agent.run(Agent.make({ name: "r", instruction: "Go.", servers }), "Go")
      const { message } = yield* Effect.flip(Effect.provide(ran, AgentTest.script()))
      assert.include(message, "it wrote 1 line that is no message")
      assert.notInclude(message, "listening on")
    })
  )

  it.live("that answers what nobody asked is not taken for one that logs", () =>
    Effect.gen(function* () {
      const settings = { connectTimeout: 1_500, probeTimeout: 300 }
      const servers = { nameless: NodeServer.command(nameless.command, nameless.args, settings) }
      const ran = Agent.run(Agent.make({ name: "r", instruction: "Go.", servers }), "Go")
      const { message } = yield* Effect.flip(Effect.provide(ran, AgentTest.script()))
      assert.notInclude(message, "standard output")
    })
  )
})

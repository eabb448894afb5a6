import { assert, describe, it } from "@effect/vitest"
import { Agent, describeProblem, Server, type ServerSettings } from "@treadle/agent"
import { kb } from "./kb.ts"

/** What is told of a definition that JavaScript wrote. */
const told = (definition: object): ReadonlyArray<string> =>
  Agent.check(Agent.make({ name: "reviewer", instruction: "You review.", ...definition })).map(describeProblem)

const box = (settings: object) => ({ servers: { box: Server.http("https://box.example/mcp", settings) } })

const noServers = "servers: they must be an object of servers by name, or a list of pairs of a name and a server."

const noServer =
  'server "box", server: it is neither an Mcp value, an address, an agent nor what Server makes; see whether something is missing.'

describe("the servers of a definition", () => {
  it.each([
    ["null", null],
    ["a text", "https://box.example"],
    ["a list without names", ["https://box.example"]]
  ])("are refused as %s (A10)", (_, servers) => {
    assert.deepStrictEqual(told({ servers }), [noServers])
  })

  it.each([
    ["null", null],
    ["without settings", { _tag: "Http", url: "https://box.example" }],
    ["with no settings", { _tag: "Http", url: "https://box.example", settings: null }],
    ["without an address", { _tag: "Http", settings: {} }],
    ["that opens nothing", { _tag: "Open", settings: {} }],
    ["without an agent", { _tag: "Agent", settings: {} }],
    ["without a value", { _tag: "InProcess", settings: {} }],
    ["of no kind", { _tag: "Pipe", settings: {} }]
  ])("are refused with one %s, which is told and not thrown (A10)", (_, one) => {
    assert.deepStrictEqual(told({ servers: { box: one } }), [noServer])
  })

  it.each([
    [{ tags: "egress" }, "tags: they must be a list; there are untrusted_input, sensitive, egress"],
    [{ tools: "search" }, "tools: they must be a list of the names of tools"],
    [{ timeout: "1 second" }, "timeout: it must be a number of milliseconds above 0"],
    [{ required: "no" }, "required: it must be true or false"],
    [{ trusted: 1 }, "trusted: it must be true or false"],
    [{ headers: "accept: text/plain" }, "headers: they must be an object of texts by name"],
    [{ headers: { accept: null } }, 'header "accept": its value must be a string'],
    [{ tag: ["egress"] }, "tag: there is no such setting; write tags"]
  ])("refuse settings that are none: %j (A10)", (settings, why) => {
    assert.deepStrictEqual(told(box(settings)), [`server "box", ${why}.`])
  })

  it("know what may be said of each kind", () => {
    const settings = { headers: {} } as ServerSettings
    const why =
      "headers: there is no such setting; there are required, tags, trusted, tools, timeout, connectTimeout, probeTimeout"
    assert.deepStrictEqual(told({ servers: { kb: Server.inProcess(kb, settings) } }), [`server "kb", ${why}.`])
  })

  it.each([
    ["localhost:8080/mcp", "http"],
    ["127.0.0.1:8080", "http"],
    ["docs.example:443/mcp", "https"]
  ])("are told how to write %s, which has no scheme", (address, scheme) => {
    assert.deepStrictEqual(told({ servers: { box: address } }), [
      `server "box": it has no scheme; write ${scheme}://${address}.`
    ])
  })

  it("name no secret in an address, which none would be read for (A164)", () => {
    assert.deepStrictEqual(told({ servers: { box: "https://box.example/{{secret:KEY}}" } }), [
      'server "box": no secret is read for an address; name it in a header.'
    ])
  })

  it("may have the name of a member of every object", () => {
    const named = (name: string) => ({ servers: Object.fromEntries([[name, kb]]) })
    for (const name of ["__proto__", "constructor", "toString"]) assert.deepStrictEqual(told(named(name)), [])
  })
})

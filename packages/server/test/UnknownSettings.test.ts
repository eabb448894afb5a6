/**
 * Settings that do not exist, as plain JavaScript writes them: none of them silently protects nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Endpoint } from "@treadle/protocol"
import { describeBuildError, Mcp, StaticBearer } from "../src/index.ts"
import { McpHttp } from "../src/http.ts"
import { empty } from "./fixtures/calling.ts"
import { tokens } from "./fixtures/tokens.ts"

const info = { name: "box", version: "1" }
const run = async () => ""
const contract = Endpoint.make("look", { description: "Looks" })
/** What an author without types says. */
const untyped = (said: object) => said as never

const written: ReadonlyArray<readonly [string, () => Parameters<typeof Mcp.check>[0], string]> = [
  [
    "a tool",
    () => Mcp.make(info).tool("look", untyped({ description: "Looks", scope: ["a"] }), run),
    "scope: there is no such setting; write scopes"
  ],
  [
    "the contract of a tool",
    () => Mcp.make(info).tool(Endpoint.make("look", untyped({ description: "Looks", hint: {} })), run),
    "hint: there is no such setting; write hints"
  ],
  [
    "a contract, of one server",
    () => Mcp.make(info).tool(Endpoint.make("look", untyped({ description: "Looks", scopes: ["a"] })), run),
    "scopes: a contract does not say this; give it as toolWith(contract, { scopes }, …)"
  ],
  [
    "the hints of a tool",
    () => Mcp.make(info).tool("look", { description: "Looks", hints: untyped({ readonly: true }) }, run),
    "hints.readonly: there is no such setting; write readOnly"
  ],
  [
    "a tool of a contract",
    () => Mcp.make(info).toolWith(contract, untyped({ scope: ["a"] }), run),
    "scope: there is no such setting; write scopes"
  ],
  [
    "an operation",
    () => Mcp.make(info).operation(contract, run, untyped({ visable: () => false })),
    "visable: there is no such setting; write visible"
  ],
  ["a catalog", () => Mcp.make(info).catalog(untyped({ allows: [] })), "allows: there is no such setting; write allow"],
  [
    "a resource",
    () => Mcp.make(info).resource(untyped({ name: "a", uri: "box://a", scope: ["a"] }), run),
    "scope: there is no such setting; write scopes"
  ],
  [
    "the cache of a resource",
    () => Mcp.make(info).resource(untyped({ name: "a", uri: "box://a", cache: { ttl: 1 } }), run),
    "cache.ttl: there is no such setting; write ttlMs"
  ],
  [
    "a template",
    () => Mcp.make(info).template(untyped({ name: "a", uriTemplate: "box://{a}", visibel: 1 }), run),
    "visibel: there is no such setting; write visible"
  ],
  [
    "a prompt",
    () => Mcp.make(info).prompt("a", untyped({ description: "A", scope: ["a"] }), run),
    "scope: there is no such setting; write scopes"
  ],
  [
    "a server",
    () => Mcp.make(untyped({ ...info, principle: () => "ada" })),
    "principle: there is no such setting; write principal"
  ],
  [
    "what may change",
    () => Mcp.make({ ...info, live: untyped({ tool: true }) }),
    "live.tool: there is no such setting; write tools"
  ],
  [
    "how long lists stay fresh",
    () => Mcp.make({ ...info, cache: untyped({ prompt: {} }) }),
    "cache.prompt: there is no such setting; write prompts"
  ]
]

const robot = StaticBearer.make({ tokens: { robot: "2f6d1c0e9b8a4573" } })

const opened: ReadonlyArray<readonly [object, string]> = [
  [{ authentication: robot }, "authentication: there is no such setting; write auth."],
  [{ origin: ["https://app.example"] }, "origin: there is no such setting; write origins."],
  [
    { auth: { ...tokens(), settings: { ...tokens().settings, scope: { required: ["a"] } } } },
    "auth.scope: there is no such setting; write scopes."
  ],
  [
    { stateKeys: [{ id: "a", secret: new Uint8Array(32), key: "b" }] },
    "stateKeys[0].key: there is no such setting; there are id, secret."
  ],
  [{ certificates: 1 }, "certificates: there is no such setting; there are"]
]

describe("a setting that does not exist", () => {
  for (const [what, make, why] of written) {
    it(`is told of ${what}, with the one that was meant: ${why}`, () => {
      const [told, ...others] = Mcp.check(make()).map(describeBuildError)
      assert.include(told ?? "", why)
      assert.deepStrictEqual(others, [])
    })
  }

  for (const [settings, why] of opened) {
    it(`is told of a door, with the one that was meant: ${why}`, () => {
      assert.throws(() => McpHttp.fetch(empty(), untyped(settings)), why)
    })
  }

  it("is none where it has no value, which is the default", () => {
    assert.deepStrictEqual(Mcp.check(Mcp.make(info).toolWith(contract, untyped({ scope: undefined }), run)), [])
    McpHttp.fetch(empty(), untyped({ authentication: undefined }))
  })
})

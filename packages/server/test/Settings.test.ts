/**
 * Settings of doors: what could not work is found where the door is made, all of it at once, with the cure.
 */
import { assert, describe, it } from "@effect/vitest"
import { linePair } from "@treadle/protocol/framing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as HttpRouter from "effect/http/HttpRouter"
import { McpRouter } from "../src/http-router/index.ts"
import { McpHttp } from "../src/http.ts"
import {
  describeBuildError,
  Limits,
  Mcp,
  McpBuildErrors,
  McpMemory,
  ProtectedResource,
  StaticBearer
} from "../src/index.ts"
import { McpNode, type ListenSettings } from "../src/node/index.ts"
import { plainDoor } from "../src/PlainDoor.ts"
import { doorOf, doorSettings, type DoorKind } from "../src/transport/DoorSettings.ts"
import { httpDoors } from "./fixtures/cells.ts"
import { empty } from "./fixtures/calling.ts"
import { tokens } from "./fixtures/tokens.ts"

const key = (id: unknown, secret: unknown = new Uint8Array(32)) => ({ id, secret })

/** What an author without types gives. */
const untyped = (settings: object) => settings as ListenSettings

const reasons = (error: unknown) =>
  error instanceof McpBuildErrors ? error.errors.map(describeBuildError) : assert.fail(String(error))

/** What the first kind of door that reads all of these says of them; nothing is opened. */
const refusedWith = (settings: object): ReadonlyArray<string> => {
  const kinds = Object.keys(doorSettings) as ReadonlyArray<DoorKind>
  const door = kinds.find((kind) => Object.keys(settings).every((name) => doorSettings[kind].includes(name))) ?? "http"
  try {
    plainDoor(empty(), untyped(doorOf(settings, { door })))
    return []
  } catch (error) {
    return reasons(error)
  }
}

/** A resource with another setting, of an author without types. */
const tokensOf = (changed: object) => ProtectedResource.make({ ...tokens().settings, ...changed })

const wrong: ReadonlyArray<readonly [settings: object, reason: string]> = [
  [{ limits: { bodyBytes: -1 } }, "limits.bodyBytes: -1 is no limit; write a whole number, above 0."],
  [{ limits: { bodyBytes: 0 } }, "limits.bodyBytes: 0 is no limit; write a whole number, above 0."],
  [{ limits: { nesting: 2000 } }, "limits.nesting: 2000 is no limit; write a whole number, above 0 and 1000 at most."],
  [{ limits: { pageSize: 2.5 } }, "limits.pageSize: 2.5 is no limit; write a whole number, above 0."],
  [{ limits: { runningCalls: NaN } }, "limits.runningCalls: NaN is no limit; write a whole number, 0 or more."],
  [{ limits: { sessions: Infinity } }, "limits.sessions: Infinity is no limit; write a whole number, 0 or more."],
  [{ limits: { sessions: "9" } }, 'limits.sessions: "9" is no limit; write a whole number, 0 or more.'],
  [{ limits: { sessions: -0.5 } }, "limits.sessions: -0.5 is no limit; write a whole number, 0 or more."],
  [
    { limits: { askTimeout: Infinity } },
    "limits.askTimeout: Infinity is no limit; write a finite number of milliseconds, above 0."
  ],
  [{ limits: { grace: -1 } }, "limits.grace: -1 is no limit; write a finite number of milliseconds, 0 or more."],
  [{ limits: { bodyByte: 1 } }, "limits.bodyByte: there is no such limit; write bodyBytes."],
  [{ limits: 5 }, "limits: 5 is no object of limits; write limits: { sessions: 100 }."],
  [
    { origins: ["https://app.example/"] },
    'origins[0]: "https://app.example/" is no origin; write "https://app.example".'
  ],
  [
    { origins: ["https://App.example:443"] },
    'origins[0]: "https://App.example:443" is no origin; write "https://app.example".'
  ],
  [
    { origins: ["https://a.example/b?c"] },
    'origins[0]: "https://a.example/b?c" is no origin; write "https://a.example".'
  ],
  [{ origins: ["app.example"] }, 'origins[0]: "app.example" is no origin; write "https://app.example".'],
  [{ origins: ["app://page/x"] }, 'origins[0]: "app://page/x" is no origin; write "app://page".'],
  [{ origins: ["a b"] }, 'origins[0]: "a b" is no origin; write "https://app.example".'],
  [{ origins: ["*"] }, 'origins[0]: "*" is no origin; write origins: "any", without the array.'],
  [{ origins: ["any"] }, 'origins[0]: "any" is no origin; write origins: "any", without the array.'],
  [
    { origins: ["https://ok.example", "https://*.example"] },
    'origins[1]: "https://*.example" is a pattern, which is not read; write each origin out, or origins: "any".'
  ],
  [{ origins: "*" }, 'origins: "*" is not read as a pattern; write origins: "any".'],
  [
    { origins: "https://app.example" },
    'origins: "https://app.example" is no array; write origins: ["https://app.example"], or origins: "any".'
  ],
  [{ origins: [null] }, 'origins[0]: null is no origin; write "https://app.example".'],
  [{ hosts: ["https://a.example"] }, 'hosts[0]: "https://a.example" is no host; write "a.example".'],
  [{ hosts: ["a.example/mcp"] }, 'hosts[0]: "a.example/mcp" is no host; write "a.example".'],
  [{ hosts: ["::1"] }, 'hosts[0]: "::1" is no host; write "[::1]".'],
  [{ hosts: [""] }, 'hosts[0]: "" is no host; write "mcp.example".'],
  [
    { hosts: ["*.example"] },
    'hosts[0]: "*.example" is a pattern, which is not read; write each host out, or hosts: "any".'
  ],
  [{ replies: "sse" }, 'replies: "sse" is none of its values; write "auto" or "json" or "events".'],
  [{ sessions: false }, 'sessions: false is none of its values; write "on" or "off".'],
  [{ cors: "yes" }, 'cors: "yes" is none of its values; write true or false.'],
  [{ onDefect: {} }, "onDefect: an object is no function; pass one."],
  [{ stateKeys: key("a") }, "stateKeys: an object is no array of keys; write [{ id, secret }]."],
  [{ stateKeys: ["secret"] }, 'stateKeys[0]: "secret" is no key; write { id, secret }.'],
  [{ stateKeys: [key("a", new Uint8Array(3))] }, "stateKeys[0].secret: it has 3 bytes; give 32 random bytes."],
  [
    { stateKeys: [key("a", Redacted.make(new Uint8Array(33)))] },
    "stateKeys[0].secret: it has 33 bytes; give 32 random bytes."
  ],
  [{ stateKeys: [key("a", "hunter2")] }, "stateKeys[0].secret: it is no Uint8Array; give 32 random bytes."],
  [{ stateKeys: [key("")] }, 'stateKeys[0].id: "" is no name; write "2026-a".'],
  [
    { stateKeys: [key("a"), key("b"), key("a")] },
    'stateKeys[2].id: there are two keys named "a"; give each its own name.'
  ],
  [{ port: 65_536 }, "port: 65536 is no port; write a whole number up to 65535, or 0 for a free one."],
  [{ host: "" }, 'host: "" is no address; write it as "127.0.0.1".'],
  [{ path: "mcp" }, 'path: "mcp" is no path; write it as "/mcp".'],
  [{ messages: "/a b" }, 'messages: "/a b" is no address; write it as "/messages".'],
  [{ principal: "me" }, 'principal: "me" is no function; pass one.'],
  [
    { auth: "hunter2" },
    "auth: a text authenticates nobody; write ProtectedResource.make({ … }) or StaticBearer.make({ … })."
  ],
  [
    { auth: tokensOf({ resource: undefined }) },
    'auth.resource: it is missing; write the public address of this endpoint, as resource: "https://mcp.example/mcp".'
  ],
  [
    { auth: tokensOf({ resource: "http://mcp.example/mcp" }) },
    'auth.resource: "http://mcp.example/mcp" is not https, which only a loopback address may be without.'
  ],
  [
    { auth: tokensOf({ resource: "https://mcp.example/mcp#a" }) },
    'auth.resource: "https://mcp.example/mcp#a" has a query or a fragment; leave that out.'
  ],
  [
    { auth: tokensOf({ resource: "https://ada:s3cr3t@mcp.example/mcp" }) },
    "auth.resource: it has a name or a password; leave that out."
  ],
  [
    { auth: tokensOf({ resource: "https://mcp.example/a/../mcp" }) },
    'auth.resource: "https://mcp.example/a/../mcp" has a path that is written otherwise in requests; write "/mcp".'
  ],
  [
    { auth: tokensOf({ resource: "/mcp" }) },
    'auth.resource: "/mcp" is no address; write it as "https://mcp.example/mcp".'
  ],
  [
    { auth: tokensOf({ authorizationServers: [] }) },
    'auth.authorizationServers: it names none; write authorizationServers: ["https://login.example"].'
  ],
  [
    { auth: tokensOf({ authorizationServers: "https://login.example" }) },
    'auth.authorizationServers: "https://login.example" is no array; write authorizationServers: ["https://login.example"].'
  ],
  [
    { auth: tokensOf({ authorizationServers: ["https://login.example", "http://login.example"] }) },
    'auth.authorizationServers[1]: "http://login.example" is not https, which only a loopback address may be without.'
  ],
  [
    { auth: tokensOf({ verifier: () => true }) },
    "auth.verifier: a function is no TokenVerifier; write TokenVerifier.make(…)."
  ],
  [
    { auth: tokensOf({ scopes: { required: ["offline_access"] } }) },
    'auth.scopes.required[0]: "offline_access" is for clients to ask of their authorization server; leave it out (SEP-2207).'
  ],
  [
    { auth: tokensOf({ scopes: { supported: ["a", "offline_access"] } }) },
    'auth.scopes.supported[1]: "offline_access" is for clients to ask of their authorization server; leave it out (SEP-2207).'
  ],
  [
    { auth: tokensOf({ scopes: { required: "a b" } }) },
    'auth.scopes.required: "a b" is no array of scopes; write ["files:read"].'
  ],
  [
    { auth: tokensOf({ scopes: { implies: { a: ["b c"] } } }) },
    'auth.scopes.implies.a[0]: "b c" is no scope; write each by itself, without spaces.'
  ],
  [
    { auth: tokensOf({ scopes: { require: ["a"] } }) },
    "auth.scopes.require: there is no such setting; write required."
  ],
  [{ auth: tokensOf({ name: "" }) }, 'auth.name: "" is no text; write some, or leave it out.'],
  [{ auth: StaticBearer.make({ tokens: {} }) }, 'auth.tokens: it has none; write tokens: { robot: "…" }.'],
  [
    { auth: StaticBearer.make(JSON.parse('{ "tokens": ["hunter2"] }')) },
    'auth.tokens: it has none; write tokens: { robot: "…" }.'
  ],
  [
    { auth: StaticBearer.make({ tokens: { robot: "hunter 2" } }) },
    "auth.tokens.robot: it is no token; give letters, digits and - . _ ~ + /, such as openssl rand -hex 32 prints."
  ],
  [
    { auth: StaticBearer.make({ tokens: { a: "same", b: Redacted.make("same") } }) },
    'auth.tokens.b: it is the token of "a" too; give each caller its own.'
  ],
  [
    { auth: StaticBearer.make({ tokens: { a: "hunter2" }, scopes: { b: ["x"] } }) },
    "auth.scopes.b: there is no token of this caller; give it one in tokens."
  ],
  [{ tls: { cert: "x" } }, "tls.key: it is missing; give the text of a file in PEM form."],
  [{ tls: { key: "s3cr3t", cert: 5 } }, "tls.cert: it is missing; give the text of a file in PEM form."],
  [
    { tls: { key: "s3cr3t", cert: "x", scopes: { "CN=a": ["x"] } } },
    "tls.scopes: only callers with a certificate have these; give clientCa too."
  ],
  [
    { host: "0.0.0.0", hosts: ["a.example"] },
    "host: McpNode.listen does not open 0.0.0.0 without authentication; give auth: ProtectedResource.make({ … }) or " +
      "StaticBearer.make({ … }), or tls with clientCa; or listen on 127.0.0.1, or mount McpNode.handler(mcp) behind your own " +
      "authentication."
  ],
  [
    { host: "0.0.0.0", auth: tokensOf({}) },
    'hosts: 0.0.0.0 is reached by names that only you know; write hosts: ["mcp.example"], or hosts: "any".'
  ]
]

const right: ReadonlyArray<object> = [
  {},
  { limits: undefined, origins: undefined, cors: undefined },
  { limits: { sessions: 0, runningCalls: 0, drain: 0, grace: 0.5, pageSize: undefined } },
  { limits: Limits.defaults },
  { origins: "any", hosts: "any" },
  { origins: [], hosts: [], stateKeys: [] },
  { origins: ["https://App.Example", "http://127.0.0.1:8080", "chrome-extension://abcdef", "null"] },
  { hosts: ["App.Example", "a.example:8080", "[::1]", "[::1]:80", "box_1"] },
  { stateKeys: [key("a"), key("b", Redacted.make(new Uint8Array(32)))] },
  { auth: tokens({}, { required: [], supported: ["a"], implies: { a: ["b", "offline_access"] } }), hosts: "any" },
  { auth: tokensOf({ resource: "http://127.0.0.1:8080", documentation: "https://a.example/x", name: "Box" }) },
  { auth: tokensOf({ resource: "HTTPS://MCP.example/", authorizationServers: ["http://localhost:9/a"] }) },
  { auth: StaticBearer.make({ tokens: { a: "x", b: Redacted.make("y==") }, scopes: { a: ["x"] } }) },
  { host: "::", hosts: "any", auth: tokens() },
  { host: "10.0.0.1", hosts: ["a.example"], tls: { key: Redacted.make("x"), cert: "x", clientCa: new Uint8Array(1) } },
  { path: "/:tenant?/mcp", port: 0, host: "::1" },
  { messages: "https://a.example/messages" }
]

describe("the settings of a door", () => {
  for (const [settings, reason] of wrong) {
    it(`are refused with a cure: ${reason}`, () => assert.deepStrictEqual(refusedWith(settings), [reason]))
  }

  it("are taken where they can work", () => {
    for (const settings of right) assert.deepStrictEqual(refusedWith(settings), [])
  })

  it("D1: are told of all at once, beside the faults of the definition", () => {
    const nameless = Mcp.make({ name: "box", version: "1" }).extension("no-prefix")
    const settings = untyped({ limits: { bodyBytes: -1, drain: NaN }, hosts: ["*"], replies: "sse" })
    try {
      McpNode.handler(nameless, settings)
      assert.fail("it must not open")
    } catch (error) {
      assert.instanceOf(error, McpBuildErrors)
      assert.deepStrictEqual(
        error.errors.map(({ _tag, place }) => (_tag === "InvalidSetting" ? place : _tag)),
        ["InvalidExtensionId", "limits.bodyBytes", "limits.drain", "hosts[0]", "replies"]
      )
      assert.match(error.message, /^MCP server "box" cannot be built, for 5 reasons:\n/)
    }
  })

  it("D1: are checked by every door before it serves", async () => {
    const settings = untyped({ limits: { bodyBytes: -1 } })
    const expected = ["limits.bodyBytes: -1 is no limit; write a whole number, above 0."]
    for (const open of [McpHttp.fetch, McpHttp.sse, McpNode.handler, McpNode.sse]) {
      try {
        open(empty(), settings)
        assert.fail("it must not open")
      } catch (error) {
        assert.deepStrictEqual(reasons(error), expected)
      }
    }
    assert.deepStrictEqual(await McpNode.listen(empty(), settings).then(() => assert.fail(), reasons), expected)
    assert.deepStrictEqual(await McpNode.stdio(empty(), {}, settings).then(() => assert.fail(), reasons), expected)
    const router = McpRouter.scoped(empty(), { ...settings, path: "/mcp" })
    const failing = [
      Effect.asVoid(Mcp.served(empty(), settings)),
      Effect.asVoid(McpNode.scoped(empty(), settings)),
      Effect.asVoid(McpMemory.serve(empty(), linePair()[0], {}, settings)),
      Effect.asVoid(Effect.provide(router, Layer.fresh(HttpRouter.layer)))
    ]
    for (const door of failing) {
      assert.deepStrictEqual(reasons(await Effect.runPromise(Effect.scoped(Effect.flip(door)))), expected)
    }
  })
})

describe.each(httpDoors)("origins over $name", ({ send }) => {
  it.effect("HTTP-02: are compared without case", () =>
    Effect.gen(function* () {
      const settings = { origins: ["https://App.Example"] }
      const seen = yield* send({ headers: { origin: "https://app.EXAMPLE" } }, { settings })
      assert.strictEqual(seen.status, 200)
      assert.strictEqual(seen.headers["access-control-allow-origin"], "https://app.EXAMPLE")
      const other = yield* send({ headers: { origin: "https://app.example.org" } }, { settings })
      assert.strictEqual(other.status, 403)
    })
  )
})

/**
 * Public bug reports about discovery: addresses and strings.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { htmlPage, makeAuthPerson, scriptedAuth, type Canned, type ScriptedAuth } from "@treadle/testing"
import { loggingIn, openWith, use } from "../fixtures/person.ts"

const prm = "/.well-known/oauth-protected-resource"

/** What was asked of one server beside MCP, in order. */
const asked = (auth: ScriptedAuth, at: string): ReadonlyArray<string> =>
  auth
    .lines()
    .filter((line) => line.startsWith(`${at} `))
    .map((line) => line.slice(at.length + 1))

describe("B004: the identifier of the resource", () => {
  const table: ReadonlyArray<readonly [string, (auth: ScriptedAuth) => string]> = [
    ["an origin without a slash", ({ mcp }) => mcp.origin],
    ["an origin with a slash", ({ mcp }) => `${mcp.origin}/`],
    ["a path without a slash", ({ mcp }) => mcp.url],
    ["a path with a slash", ({ mcp }) => `${mcp.url}/`],
    ["upper case and an escape", ({ mcp }) => mcp.url.replace("http:", "HTTP:")]
  ]
  for (const [name, published] of table) {
    it.effect(`B004 AUTH-13: is sent as it was published, when it is ${name}`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        const resource = published(auth)
        auth.mcp.script = { resource }
        const person = makeAuthPerson()
        const session = yield* openWith(auth, loggingIn({}, person))
        auth.revoke()
        yield* use(session)
        const [page] = auth.of("as1", "GET /authorize")
        const [code, refresh] = auth.of("as1", "POST /token").map(({ form }) => form)
        assert.strictEqual(refresh?.get("grant_type"), "refresh_token")
        assert.deepStrictEqual(
          [page?.query.getAll("resource"), code?.getAll("resource"), refresh?.getAll("resource")],
          [[resource], [resource], [resource]]
        )
        assert.deepStrictEqual(auth.faults, [])
        assert.lengthOf(person.pages, 1)
      })
    )
  }
})

describe("B018: the metadata of the resource", () => {
  for (const status of [404, 401, 403, 500]) {
    it.effect(`B018 AUTH-03: is looked for at the root after ${status} below the path`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        auth.mcp.script = {
          challenge: () => ["Bearer"],
          metadata: (form, json) => (form === "root" ? { json } : { status })
        }
        yield* use(yield* openWith(auth, loggingIn()))
        assert.deepStrictEqual(asked(auth, "mcp"), [`GET ${prm}/mcp`, `GET ${prm}`])
      })
    )
  }
})

describe("B050: a challenge", () => {
  const wild = "/elsewhere/metadata"
  type Row = readonly [name: string, challenge: (url: string) => Array<string>, scope: string | null]
  const read: ReadonlyArray<Row> = [
    ["has spaces around the sign", (url) => [`Bearer realm="a, b", resource_metadata = "${url}", scope="x y"`], "x y"],
    ["comes after another one", (url) => [`Basic realm="z", Bearer resource_metadata="${url}"`], null],
    ["comes in a line of its own", (url) => ['Basic realm="z"', `Bearer resource_metadata="${url}", scope="x"`], "x"],
    ["is written in any case and without quotes", (url) => [`bearer RESOURCE_METADATA=${url}, Scope=x`], "x"],
    ["quotes a quote", (url) => [`Bearer error_description="say \\"hi\\", ok", resource_metadata="${url}"`], null],
    ["says the same twice", (url) => [`Bearer resource_metadata="${url}", resource_metadata="${url}"`], null]
  ]
  for (const [name, challenge, scope] of read) {
    it.effect(`B050 AUTH-03: is read where it ${name}`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        auth.mcp.script = {
          challenge: () => challenge(`${auth.mcp.origin}${wild}`),
          metadata: (_, json, path) => (path === wild ? { json } : undefined)
        }
        yield* use(yield* openWith(auth, loggingIn()))
        assert.deepStrictEqual(asked(auth, "mcp"), [`GET ${wild}`])
        assert.strictEqual(auth.of("as1", "GET /authorize")[0]?.query.get("scope"), scope)
      })
    )
  }

  const broken: ReadonlyArray<Row> = [
    ["says two things", (url) => [`Bearer resource_metadata="${url}", resource_metadata="${url}2"`], null],
    ["does not end its quote", (url) => [`Bearer scope="x", resource_metadata="${url}`], null],
    ["names no address", () => ['Bearer resource_metadata="not an address"'], null],
    ["is empty", () => [""], null]
  ]
  for (const [name, challenge] of broken) {
    it.effect(`B050 AUTH-03: is no obstacle where it ${name}`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        auth.mcp.script = { challenge: () => challenge(`${auth.mcp.origin}${wild}`) }
        yield* use(yield* openWith(auth, loggingIn()))
        assert.deepStrictEqual(asked(auth, "mcp"), [`GET ${prm}/mcp`])
      })
    )
  }
})

describe("B052: a web page where metadata was due", () => {
  it.effect("B052: is not even asked for where a server needs no login", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.mcp.script = { needs: () => false, metadata: () => htmlPage }
      yield* use(yield* openWith(auth, loggingIn()))
      assert.deepStrictEqual(auth.lines(), [])
    })
  )

  const noObjects: ReadonlyArray<readonly [string, Canned]> = [
    ["a web page", htmlPage],
    ["a list", { json: [{}] }],
    ["a text", { json: "hello" }],
    ["nothing", { text: "" }]
  ]
  for (const [name, answer] of noObjects) {
    it.effect(`B052 AUTH-04: is passed over for the next address, when it is ${name}`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        auth.mcp.script = {
          challenge: () => ["Bearer"],
          metadata: (form, json) => (form === "root" ? { json } : answer)
        }
        auth.as.script = { metadata: (form, json) => (form === "openid" ? { json } : answer) }
        yield* use(yield* openWith(auth, loggingIn()))
        assert.deepStrictEqual(asked(auth, "mcp"), [`GET ${prm}/mcp`, `GET ${prm}`])
        assert.deepStrictEqual(asked(auth, "as1").slice(0, 2), [
          "GET /.well-known/oauth-authorization-server",
          "GET /.well-known/openid-configuration"
        ])
      })
    )
  }

  it.effect("B052: at every address is an error that lists them, each with how it answered", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth({ issuers: ["/tenant1"] })
      const statuses = { oauth: undefined, openid: { status: 403 }, "openid-appended": htmlPage }
      auth.as.script = { metadata: (form) => statuses[form] }
      const error = yield* Effect.flip(openWith(auth, loggingIn()))
      const { origin } = auth.as
      assert.include(
        error.message,
        `${origin}/.well-known/oauth-authorization-server/tenant1 (HTTP 404), ` +
          `${origin}/.well-known/openid-configuration/tenant1 (HTTP 403), ` +
          `${origin}/tenant1/.well-known/openid-configuration (HTTP 200, but no such document)`
      )
      assert.strictEqual(error.reason._tag, "Unauthorized")
    })
  )

  it.effect("B052: at every address, of the server itself too, is an error that lists all of them", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.mcp.script = { challenge: () => ["Bearer"], metadata: (form) => (form === "path" ? htmlPage : undefined) }
      const error = yield* Effect.flip(openWith(auth, loggingIn()))
      const { origin } = auth.mcp
      assert.include(
        error.message,
        `the metadata of the protected resource, or the metadata of the authorization server was not found; asked were ` +
          `${origin}${prm}/mcp (HTTP 200, but no such document), ${origin}${prm} (HTTP 404), ` +
          `${origin}/.well-known/oauth-authorization-server (HTTP 404), ` +
          `${origin}/.well-known/openid-configuration (HTTP 404)`
      )
    })
  )
})

describe("B054: the address of the authorization server", () => {
  const runs: ReadonlyArray<readonly [string, string, string, ReadonlyArray<string>]> = [
    ["A", "/tenant1", "oauth", ["/.well-known/oauth-authorization-server/tenant1"]],
    [
      "B",
      "/tenant1",
      "openid",
      ["/.well-known/oauth-authorization-server/tenant1", "/.well-known/openid-configuration/tenant1"]
    ],
    [
      "C",
      "/tenant1",
      "openid-appended",
      [
        "/.well-known/oauth-authorization-server/tenant1",
        "/.well-known/openid-configuration/tenant1",
        "/tenant1/.well-known/openid-configuration"
      ]
    ],
    ["D", "", "openid", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]]
  ]
  for (const [run, path, only, addresses] of runs) {
    it.effect(
      `B054 AUTH-04: is that of the issuer in each form in its order, never that of the resource (run ${run})`,
      () =>
        Effect.gen(function* () {
          const auth = yield* scriptedAuth({ issuers: [path] })
          const decoy = { issuer: auth.as.issuer, authorization_endpoint: `${auth.mcp.origin}/evil` }
          auth.mcp.script = { metadata: (form, json) => ({ json: form === "other" ? decoy : json }) }
          auth.as.script = { metadata: (form, json) => (form === only ? { json } : undefined) }
          yield* use(yield* openWith(auth, loggingIn()))
          assert.deepStrictEqual(asked(auth, "as1").slice(0, addresses.length + 1), [
            ...addresses.map((address) => `GET ${address}`),
            "POST /register"
          ])
          assert.deepStrictEqual(asked(auth, "mcp"), [`GET ${prm}/mcp`])
        })
    )
  }
})

describe("B056: the issuer in the metadata", () => {
  it.effect("B056 AUTH-05: passes where it is equal, a slash at its end included", () =>
    Effect.gen(function* () {
      for (const path of ["", "/", "/tenant1", "/tenant1/"]) {
        const auth = yield* scriptedAuth({ issuers: [path] })
        yield* use(yield* openWith(auth, loggingIn()))
        assert.deepStrictEqual(auth.faults, [])
      }
    })
  )

  type Pair = readonly [name: string, named: (origin: string) => string, says: (origin: string) => string | undefined]
  const pairs: ReadonlyArray<Pair> = [
    ["has a slash more", (origin) => origin, (origin) => `${origin}/`],
    ["has a slash less", (origin) => `${origin}/`, (origin) => origin],
    ["is of another host", (origin) => origin, () => "https://attacker.example"],
    ["has another path", (origin) => `${origin}/a`, (origin) => `${origin}/b`],
    ["is written in another way", (origin) => origin, (origin) => origin.replace("http:", "HTTP:")],
    ["is missing", (origin) => origin, () => undefined]
  ]
  for (const [name, named, says] of pairs) {
    it.effect(
      `B056 AUTH-05 W129: is refused with both strings, and nothing of the document used, where it ${name}`,
      () =>
        Effect.gen(function* () {
          const auth = yield* scriptedAuth({ issuers: [new URL(named("http://h")).pathname] })
          const { origin } = auth.as
          const [expected, received] = [named(origin), says(origin)]
          auth.mcp.script = { issuers: [expected] }
          auth.as.script = { metadata: (_, document) => ({ json: { ...document, issuer: received } }) }
          const error = yield* Effect.flip(openWith(auth, loggingIn()))
          assert.include(error.message, `must be ${JSON.stringify(expected)}`)
          assert.include(error.message, received === undefined ? "is missing" : `is ${JSON.stringify(received)}`)
          assert.include(error.message, "RFC 8414 section 3.3")
          assert.isTrue(asked(auth, "as1").every((line) => line.includes("/.well-known/")))
        })
    )
  }
})

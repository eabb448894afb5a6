/**
 * Answers that no honest server gives: what is made of them is a login that works, or an error that is safe to print.
 */
import { generateKeyPairSync } from "node:crypto"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { McpClient } from "@treadle/client"
import { makeMemoryStore, OAuth } from "@treadle/oauth"
import { scriptedAuth } from "@treadle/testing"
import { loggingIn, openWith, use } from "./fixtures/person.ts"

/** Characters that would end, colour or hide a line of a log. */
const control = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const forged = "x\n\u001b[31m2026 INFO all is well\u202e\u0085\u2028"

describe("a time that no clock reaches", () => {
  for (const seconds of [1e308, 8e305]) {
    it.effect(`of ${seconds} s until a token expires is none at all`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        auth.as.script = { expiresIn: seconds }
        yield* use(yield* openWith(auth, loggingIn()))
        assert.lengthOf(auth.of("as1", "POST /token"), 1)
      })
    )

    it.effect(`of ${seconds} s until the secret of a client expires is none at all`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        auth.as.script = {
          register: (_, right) => ({ ...right, json: { ...right.json, client_secret_expires_at: seconds } })
        }
        yield* use(yield* openWith(auth, loggingIn()))
        assert.lengthOf(auth.of("as1", "POST /register"), 1)
      })
    )
  }
})

describe("an error", () => {
  it.effect("W159: of another resource does not quote the query of the server, which may be a secret", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.mcp.script = { resource: "https://other.example/mcp" }
      const error = yield* Effect.flip(McpClient.http(`${auth.mcp.url}?key=s3cr3t`, { auth: loggingIn() }))
      assert.include(error.message, `must be "${auth.mcp.url}"`)
      assert.notInclude(inspect(error, { depth: 9 }), "s3cr3t")
    })
  )

  it.effect("is one short line, whatever the servers say", () =>
    Effect.gen(function* () {
      const long = "x".repeat(10_000)
      const auth = yield* scriptedAuth()
      const told = (settings = {}) =>
        Effect.map(Effect.flip(openWith(auth, loggingIn(settings))), ({ message }) => message)
      const messages: Array<string> = []
      for (const text of [forged, long]) {
        auth.as.script = { token: () => ({ status: 400, json: { error: text, error_description: text } }) }
        messages.push(yield* told())
        auth.as.script = { authorize: (_, right) => new URLSearchParams({ ...right, error: text }) }
        messages.push(yield* told())
        auth.as.script = {
          register: () => ({ status: 201, json: { client_id: "x", token_endpoint_auth_method: text } })
        }
        messages.push(yield* told())
        auth.as.script = {
          token: () => ({ json: { access_token: "x", token_type: text } })
        }
        messages.push(yield* told())
        auth.as.script = {}
        const words = text.replaceAll(/[^\u0020-\u00ff]/g, "")
        auth.mcp.script = { refuse: () => 401, challenge: () => [`Bearer error_description="${words}"`] }
        messages.push(yield* told())
        auth.mcp.script = { resource: `${auth.mcp.url}/${text}` }
        messages.push(yield* told())
        auth.mcp.script = { issuers: [`${auth.as.origin}/${text}`] }
        messages.push(yield* told({ issuer: "https://mine.example" }))
        auth.mcp.script = {}
      }
      for (const message of messages) {
        assert.notMatch(message, control)
        assert.isBelow(message.length, 1_000)
      }
    })
  )

  it.effect("is one short line without queries, whatever the addresses that servers name", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const told = Effect.map(Effect.flip(openWith(auth, loggingIn())), ({ message }) => message)
      const messages: Array<string> = []
      const path = `\u0085\u009b31m${"x".repeat(2_000)}?key=s3cr3t`
      for (const status of [404, 500]) {
        // The document at any other address than those well known is the one that the challenge names.
        auth.mcp.script = {
          challenge: () => [`Bearer resource_metadata="${auth.mcp.origin}/${path}"`],
          metadata: () => ({ status })
        }
        auth.as.script = { metadata: () => ({ status: 404 }) }
        messages.push(yield* told)
      }
      auth.mcp.script = {}
      const endless = "x".repeat(100_000)
      for (const address of [
        `http://evil.example/${endless}`,
        `data:${endless}`,
        `https://${"a.".repeat(5_000)}localhost`
      ]) {
        auth.as.script = { metadata: (_, right) => ({ json: { ...right, token_endpoint: address } }) }
        messages.push(yield* told)
      }
      for (const message of messages) {
        assert.notMatch(message, control)
        assert.notInclude(message, "s3cr3t")
        assert.isBelow(message.length, 1_000)
      }
    })
  )

  it.effect("of a key that is too weak to sign names the setting", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 })
      const client = {
        clientId: "x",
        algorithm: "RS256",
        privateKey: String(privateKey.export({ type: "pkcs8", format: "pem" }))
      }
      const error = yield* Effect.flip(openWith(auth, OAuth.clientCredentials(client)))
      assert.strictEqual(error.reason._tag, "Unauthorized")
      assert.match(error.message, /the "privateKey" setting is no private key of its "algorithm"/)
    })
  )
})

describe("a registration", () => {
  it.effect("is not shared by programs with other names, since people are shown the name", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const store = makeMemoryStore()
      yield* openWith(auth, loggingIn({ store }))
      yield* openWith(auth, loggingIn({ store, clientName: "Another" }))
      yield* openWith(auth, loggingIn({ store, account: "second" }))
      const names = auth.of("as1", "POST /register").map(({ json }) => json?.client_name)
      assert.deepStrictEqual(names, ["Tests", "Another"])
    })
  )
})

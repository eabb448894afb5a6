/**
 * What a door does while a token is looked at: it reads no body, waits for no longer than it should, and leaves no secret
 * behind.
 */
import { assert, describe, it } from "@effect/vitest"
import { AsyncLocalStorage } from "node:async_hooks"
import { request as httpRequest } from "node:http"
import { inspect } from "node:util"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { rawToolCall } from "@treadle/testing"
import { McpHttp } from "../../src/http.ts"
import {
  McpBuildErrors,
  ProtectedResource,
  StaticBearer,
  TokenVerifier,
  type TokenRefused,
  type VerifiedToken,
  type VerifierUnavailable
} from "../../src/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { capturedLogs } from "../fixtures/capturedLogs.ts"
import { empty } from "../fixtures/calling.ts"
import { cellMcp, exchange, httpDoors, listening, ran } from "../fixtures/cells.ts"
import { compatDoor } from "../fixtures/compatDoor.ts"
import { headersOf, posting } from "../fixtures/rawPeers.ts"
import { issuer, presented, resource, tokens, unreachable } from "../fixtures/tokens.ts"

const message = rawToolCall(7, "echo", { text: "hi" })
const bearer = { authorization: "Bearer s3cr3t" }
const ada: VerifiedToken = { issuer, subject: "ada", scopes: [], claims: {} }

const verifiedBy = (verify: () => Effect.Effect<VerifiedToken, TokenRefused | VerifierUnavailable>) =>
  ProtectedResource.make({ resource, authorizationServers: [issuer], verifier: TokenVerifier.make(verify) })

describe("a token", () => {
  it.effect("AUTH-26: is refused at once although the body of its request never ends", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(cellMcp(), { auth: tokens() })
      const port = yield* listening((req, res) => door(req, res))
      for (const authorization of [undefined, "Bearer other", "Bearer a b"]) {
        const status = yield* Effect.promise(
          () =>
            new Promise((resolve, reject) => {
              const headers = { ...headersOf(message), ...(authorization === undefined ? {} : { authorization }) }
              const req = httpRequest({ port, host: "127.0.0.1", method: "POST", path: "/mcp", agent: false, headers })
              req.on("response", (res) => {
                resolve(res.statusCode)
                req.destroy()
              })
              req.on("error", reject)
              req.write("{")
            })
        )
        assert.strictEqual(status, authorization === "Bearer a b" ? 400 : 401)
      }
    })
  )

  it.effect("AUTH-26: is looked at before the body is asked for, over fetch as well", () =>
    Effect.gen(function* () {
      const door = McpHttp.fetch(cellMcp(), { auth: tokens() })
      let pulled = 0
      const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
      const headers = { ...headersOf(message), authorization: "Bearer other" }
      const init = { method: "POST", headers, body, duplex: "half" }
      const response = yield* Effect.promise(() => door(new Request("http://localhost/mcp", init)))
      assert.deepStrictEqual([response.status, pulled], [401, 0])
    })
  )

  it.effect("AUTH-26: that nobody should send is never shown to a verifier", () =>
    Effect.gen(function* () {
      const before = presented.length
      const door = McpHttp.fetch(cellMcp(), { auth: tokens() })
      const wrong = [`Bearer ${"a".repeat(8_186)}`, "Bearer", "Bearer a,b", "Basic all", "Bearer all, Bearer all"]
      for (const authorization of wrong) {
        const request = new Request("http://localhost/mcp", { method: "POST", headers: { authorization } })
        const response = yield* Effect.promise(() => door(request))
        assert.oneOf(response.status, [400, 401])
      }
      assert.strictEqual(presented.length, before)
      const longest = { authorization: `Bearer ${"a".repeat(8_185)}` }
      yield* Effect.promise(() => door(new Request("http://localhost/mcp", { method: "POST", headers: longest })))
      assert.strictEqual(presented.length, before + 1)
    })
  )

  it.effect("AUTH-26: in two headers is malformed on Node too, whose table has the first of them only", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(cellMcp(), { auth: tokens() })
      const port = yield* listening((req, res) => door(req, res))
      const { res } = yield* Effect.sync(() => {
        const req = httpRequest({ port, host: "127.0.0.1", method: "POST", path: "/mcp", agent: false })
        for (const [name, value] of Object.entries(headersOf(message))) req.setHeader(name, value)
        req.setHeader("authorization", ["Bearer all", "Bearer other"])
        req.end(JSON.stringify(message))
        return { res: new Promise<number>((resolve) => req.on("response", (got) => resolve(got.statusCode ?? 0))) }
      })
      assert.strictEqual(yield* Effect.promise(() => res), 400)
    })
  )

  it.effect("is given to its call as the principal, named by issuer and subject, with all that it says", () =>
    Effect.gen(function* () {
      const token = { ...ada, clientId: "app", scopes: ["write"], expiresAt: 5_000, claims: { org: "box" } }
      const auth = ProtectedResource.make({
        resource,
        authorizationServers: [issuer],
        verifier: TokenVerifier.make(() => Effect.succeed(token)),
        scopes: { required: ["read"], implies: { write: ["edit"], edit: ["read"] } }
      })
      const mcp = empty()
        .tool("who", { description: "Tested", scopes: ["edit"] }, async (_, { principal }) => JSON.stringify(principal))
        .tool("echo", { description: "Tested" }, async () => "")
      const door = McpHttp.fetch(mcp, { auth })
      const call = rawToolCall(1, "who")
      const headers = { ...headersOf(call), ...bearer }
      const request = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(call) })
      const answer: any = yield* Effect.promise(async () => (await door(request)).json())
      assert.deepStrictEqual(JSON.parse(answer.result.content[0].text), {
        ...token,
        via: "token",
        id: "https://login.example#ada",
        scopes: ["write", "edit", "read"]
      })
    })
  )

  it.effect.each([
    { ...ada, subject: "" },
    { ...ada, issuer: "" },
    { ...ada, issuer: `${issuer}#a` }
  ])("SEC-04: by which two callers could not be told apart is refused", (token) =>
    Effect.gen(function* () {
      const door = yield* compatDoor(cellMcp(), { auth: verifiedBy(() => Effect.succeed(token)) })
      const response = yield* Effect.promise(() => door.respond(message, { headers: bearer }))
      assert.strictEqual(response.status, 401)
    })
  )
})

describe.each(httpDoors)("a verifier that takes its time, over $name", ({ send }) => {
  it.effect("is waited for, and keeps the context of its request", () =>
    Effect.gen(function* () {
      const before = ran.length
      const auth = verifiedBy(() => Effect.promise(() => new Promise((resolve) => setImmediate(() => resolve(ada)))))
      const seen = yield* send({ headers: bearer, settings: { auth } })
      assert.deepStrictEqual([seen.status, ran.length], [200, before + 1])
    })
  )

  it.effect("that dies is reported, and its request answered 500 without a word of it", () =>
    Effect.gen(function* () {
      const logs = yield* capturedLogs
      const told: Array<unknown> = []
      const onDefect = (error: unknown) => void told.push(error)
      const auth = verifiedBy(() => {
        throw new Error("secret of the author")
      })
      const seen = yield* send({ headers: bearer, settings: { auth, onDefect } })
      assert.strictEqual(seen.status, 500)
      assert.match(seen.json.error.message, /^Internal error \(reference [0-9a-f]{8}\)$/)
      assert.lengthOf(told, 1)
      assert.include(logs(), "the token verifier died")
      assert.notInclude(logs(), "s3cr3t")
    })
  )

  it.effect("of plain JavaScript that says nothing of scopes is reported, and ends no process", () =>
    Effect.gen(function* () {
      const logs = yield* capturedLogs
      const { scopes: _, ...token } = ada
      const auth = verifiedBy(() => Effect.succeed(token as VerifiedToken))
      assert.strictEqual((yield* send({ headers: bearer, settings: { auth } })).status, 500)
      assert.include(logs(), "the token verifier died")
    })
  )

  for (const failure of [undefined, null, "no", new Error("no"), { _tag: "TokenRefused" }, { _tag: "No", why: "no" }]) {
    it.effect(
      `of plain JavaScript that fails with ${inspect(failure).split("\n", 1)[0]} is reported, and ends no process`,
      () =>
        Effect.gen(function* () {
          const logs = yield* capturedLogs
          const fails = Effect.fail(failure as TokenRefused)
          for (const verify of [fails, Effect.andThen(Effect.yieldNow, fails)]) {
            const auth = verifiedBy(() => verify)
            assert.strictEqual((yield* send({ headers: bearer, settings: { auth } })).status, 500)
          }
          assert.include(logs(), "the token verifier died")
        })
    )
  }

  it.effect("that cannot say anything now is logged, and its request answered 503", () =>
    Effect.gen(function* () {
      const logs = yield* capturedLogs
      const seen = yield* send({ headers: bearer, settings: { auth: unreachable } })
      assert.deepStrictEqual([seen.status, seen.json.error.code], [503, -32603])
      assert.include(logs(), "https://login.example/keys did not answer")
      assert.notInclude(seen.text + logs(), "s3cr3t")
    })
  )
})

describe("a verifier that never answers", () => {
  it.effect("is given up after its time, and its request answered 503", () =>
    Effect.gen(function* () {
      const [began, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const auth = verifiedBy(() =>
        Effect.onInterrupt(Effect.andThen(Deferred.succeed(began, undefined), Effect.never), () =>
          Deferred.succeed(ended, undefined)
        )
      )
      const door = yield* compatDoor(cellMcp(), { auth })
      const fiber = yield* door.begin(message, { headers: bearer })
      yield* Deferred.await(began)
      yield* TestClock.adjust(29_999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Deferred.await(ended)
      assert.strictEqual((yield* Fiber.join(fiber)).status, 503)
    })
  )

  it.effect("is interrupted when its client goes away", () =>
    Effect.gen(function* () {
      const [began, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const auth = verifiedBy(() =>
        Effect.onInterrupt(Effect.andThen(Deferred.succeed(began, undefined), Effect.never), () =>
          Deferred.succeed(ended, undefined)
        )
      )
      const door = McpNode.handler(cellMcp(), { auth })
      const port = yield* listening((req, res) => door(req, res))
      const { req } = posting(port, message, bearer)
      yield* Deferred.await(began)
      req.destroy()
      yield* Deferred.await(ended)
    })
  )

  it.effect("is interrupted when the signal of its request aborts", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const auth = verifiedBy(() => Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined)))
      const door = yield* compatDoor(cellMcp(), { auth })
      const abort = new AbortController()
      const response = door.respond(message, { headers: bearer, signal: abort.signal })
      abort.abort(new Error("gone"))
      const rejected = yield* Effect.promise(() => response.then(() => "answered", String))
      assert.strictEqual(rejected, "Error: gone")
      yield* Deferred.await(ended)
    })
  )
})

describe("authentication on Node", () => {
  it.effect("keeps the caller's AsyncLocalStorage, however long a verifier takes", () =>
    Effect.gen(function* () {
      const call = rawToolCall(7, "echo")
      const storage = new AsyncLocalStorage<string>()
      const auth = verifiedBy(() => Effect.promise(() => new Promise((resolve) => setImmediate(() => resolve(ada)))))
      const mcp = empty().tool("echo", { description: "Tested" }, async () => storage.getStore() ?? "lost")
      const door = McpNode.handler(mcp, { auth })
      const port = yield* listening((req, res) => storage.run("kept", () => door(req, res)))
      const seen = yield* Effect.promise(() =>
        exchange(port, "POST", Object.entries({ ...headersOf(call), ...bearer }), JSON.stringify(call))
      )
      assert.strictEqual(seen.json.result.content[0].text, "kept")
    })
  )
})

describe("agreed secrets", () => {
  it("are in no text that is made of them, nor in what is said of wrong ones", () => {
    const auth = StaticBearer.make({ tokens: { ada: "s3cr3t", bob: Redacted.make("s3cr3t") } })
    const texts = [String(auth), JSON.stringify(auth), inspect(auth, { depth: 9 }), inspect(auth.tokens.get("ada"))]
    try {
      McpHttp.fetch(cellMcp(), { auth })
      assert.fail("two callers have one token")
    } catch (error) {
      assert.instanceOf(error, McpBuildErrors)
      texts.push(error.message, inspect(error, { depth: 9 }))
    }
    for (const text of texts) assert.notInclude(text, "s3cr3t")
  })
})

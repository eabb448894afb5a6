import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { linePair } from "@treadle/protocol/framing"
import { scriptedHttp, type HttpScript } from "@treadle/testing"
import { McpClient, type HttpSettings, type McpError } from "../../src/index.ts"
import { discoverResult, fact, opened, ping, reasonOf, result, rpcError, serving, textResult } from "../fixtures.ts"
import { guarded, kindOf, loginNeeded, metadata, scriptedTokens, type TokenScript } from "../tokens.ts"

/** A session whose every call is refused with 401, until so many refusals were sent. */
const refusing = (script: TokenScript, refusals: number, settings: HttpSettings = {}, status: 401 | 403 = 401) =>
  Effect.gen(function* () {
    const tokens = scriptedTokens(script)
    let left = refusals
    const guard = guarded(serving(), (seen) => (kindOf(seen) === "tools/call" && left-- > 0 ? status : undefined))
    return { ...tokens, ...(yield* opened(guard, { auth: tokens.auth, ...settings })) }
  })

/** The tokens of all requests so far. */
const shown = ({ seen }: { readonly seen: { readonly events: ReadonlyArray<{ readonly headers: object }> } }) =>
  seen.events.map(({ headers }) => fact(headers, "authorization"))

describe("what authorizes requests", () => {
  it.effect("is named where it is no token provider, and nothing is sent or told of it", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp(serving())
      for (const auth of ["a-token", { token: "a-token" }, Promise.resolve("a-token"), async () => "a-token", null]) {
        // @ts-expect-error plain JavaScript may give anything
        const error: McpError = yield* Effect.flip(Effect.scoped(McpClient.http(server.url, { auth })))
        assert.include(error.message, 'the "auth" setting is no token provider; give one')
        assert.strictEqual(error.reason._tag, "Unauthorized")
        assert.notInclude(inspect(error, { depth: 9 }), "a-token")
      }
      assert.deepStrictEqual(server.seen.events, [])
    })
  )

  it.effect("AUTH-25 W150: is asked anew for each of them, and sees its method, its address and its body", () =>
    Effect.gen(function* () {
      const { asked, auth, life } = scriptedTokens()
      const { server, session } = yield* opened(serving(), { auth })
      yield* session.call(ping)()
      yield* session.call(ping)()
      assert.deepStrictEqual(shown(server), ["Bearer 1", "Bearer 2", "Bearer 3"])
      assert.deepStrictEqual(
        asked.events.map(({ body, method, url }) => [method, url.href, body]),
        server.seen.events.map(({ text }) => ["POST", server.url, text])
      )
      assert.deepStrictEqual(life, [`open ${server.url}`])
    })
  )

  it.effect("lives as long as the session", () =>
    Effect.gen(function* () {
      const { auth, life } = scriptedTokens()
      const server = yield* scriptedHttp(serving())
      yield* Effect.scoped(McpClient.http(`${server.url}?tenant=7`, { auth }))
      assert.deepStrictEqual(life, [`open ${server.url}?tenant=7`, "close"])
    })
  )

  it.effect(
    "W145: is asked again for each hop of a redirect, with its address, and shows nothing where it gives nothing",
    () =>
      Effect.gen(function* () {
        const { asked, auth } = scriptedTokens({
          headers: ({ url }) =>
            Effect.succeed(url.pathname === "/mcp" ? { authorization: "Bearer mine", dpop: "p" } : {})
        })
        const script: HttpScript = (seen, reply) =>
          seen.path === "/mcp" ? reply.raw("", { location: "/mcp/" }, 307) : serving()(seen, reply)
        const { server } = yield* opened(script, { auth })
        assert.deepStrictEqual(
          asked.events.map(({ url }) => url.pathname),
          ["/mcp", "/mcp/"]
        )
        const [first, second] = server.seen.events.map(({ headers }) => headers)
        assert.deepInclude(first, { authorization: "Bearer mine", dpop: "p" })
        assert.doesNotHaveAnyKeys(second, ["authorization", "dpop"])
      })
  )

  it.effect("W145: is not asked for another origin, to which no redirect is followed", () =>
    Effect.gen(function* () {
      const elsewhere = yield* scriptedHttp(serving())
      const { asked, auth } = scriptedTokens()
      const server = yield* scriptedHttp((_, reply) => reply.raw("", { location: elsewhere.url }, 307))
      const reason = yield* reasonOf(McpClient.http(server.url, { auth }))
      assert.include(reason.message, `it moved to ${elsewhere.url}`)
      assert.strictEqual(elsewhere.seen.events.length, 0)
      assert.deepStrictEqual(
        asked.events.map(({ url }) => url.href),
        [server.url]
      )
    })
  )

  it.effect("W151: is not asked where the settings have an Authorization, however it is written and given", () =>
    Effect.gen(function* () {
      const given = [
        { Authorization: "Bearer static" },
        { AUTHORIZATION: "Bearer static" },
        () => ({ authorization: "Bearer static" }),
        async () => ({ authorizatioN: "Bearer static" })
      ]
      for (const headers of given) {
        const { asked, heard, refused, server, session } = yield* refusing({}, Infinity, { headers })
        const reason = yield* reasonOf(session.call(ping)())
        assert.deepInclude(reason, { _tag: "Unauthorized", server: server.url, metadata })
        assert.deepStrictEqual(shown(server), ["Bearer static", "Bearer static"])
        assert.deepStrictEqual([asked.events, refused.events, heard], [[], [], []])
      }
    })
  )

  it.effect("has nothing to do with a token of the headers, which may be refused as well as missing", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp((seen, reply) => {
        const error = seen.headers["authorization"] === undefined ? "" : ' error="invalid_token"'
        return reply.raw("", { "www-authenticate": `Bearer${error}` }, 401)
      })
      const told = (settings: HttpSettings) =>
        Effect.map(reasonOf(McpClient.http(server.url, settings)), ({ message }) => message)
      assert.include(yield* told({}), "asks for authorization (HTTP 401); give a token provider")
      assert.strictEqual(
        yield* told({ headers: { authorization: "Bearer old" } }),
        'the server asks for another token than it was shown (HTTP 401); give a good one in "headers"'
      )
    })
  )

  it.effect("is asked where the settings have other headers", () =>
    Effect.gen(function* () {
      const { server, session } = yield* refusing({}, 0, { headers: { "x-till": "7", "proxy-authorization": "x" } })
      yield* session.call(ping)()
      assert.deepStrictEqual(shown(server), ["Bearer 1", "Bearer 2"])
      assert.strictEqual(server.seen.events[1]?.headers["x-till"], "7")
    })
  )

  it.effect("hears of every response, whatever its status", () =>
    Effect.gen(function* () {
      const { auth, heard } = scriptedTokens()
      let left = 1
      const script: HttpScript = (seen, reply) => {
        if (seen.path === "/mcp") return reply.raw("", { location: "/mcp/" }, 308)
        return guarded(serving(), () => (left-- > 0 ? 401 : undefined))(seen, reply)
      }
      yield* opened(script, { auth })
      assert.deepStrictEqual(heard, ["POST /mcp 308", "POST /mcp/ 401", "POST /mcp/ 200"])
    })
  )

  it("W160: does not exist on a pipe", () => {
    const [near] = linePair()
    const { auth } = scriptedTokens()
    // @ts-expect-error a pipe has no such setting
    assert.isTrue(Effect.isEffect(McpClient.pipe(near, { auth })))
  })
})

describe("a request that is refused with 401", () => {
  it.effect("AUTH-03: is sent again with new headers where the provider learned from it", () =>
    Effect.gen(function* () {
      const { refused, server, session } = yield* refusing({}, 1)
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.deepStrictEqual(shown(server), ["Bearer 1", "Bearer 2", "Bearer 3"])
      const [, first, second] = server.seen.events
      assert.strictEqual(first?.text, second?.text)
      const [refusal, ...more] = refused.events
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(refusal?.request, { method: "POST", url: new URL(server.url), body: first?.text })
      assert.deepStrictEqual(refusal?.sent, { authorization: "Bearer 2" })
      assert.strictEqual(refusal?.response.status, 401)
      assert.strictEqual(refusal?.response.header("WWW-Authenticate"), `Bearer resource_metadata="${metadata}"`)
    })
  )

  it.effect("is sent again four times at most, and then fails", () =>
    Effect.gen(function* () {
      const enough = yield* refusing({}, 4)
      assert.strictEqual(yield* enough.session.call(ping)(), "ok")
      const { refused, server, session } = yield* refusing({}, Infinity)
      const reason = yield* reasonOf(session.call(ping)())
      assert.deepInclude(reason, { _tag: "Unauthorized", server: server.url, metadata })
      assert.strictEqual(server.seen.events.length, 1 + 5)
      assert.strictEqual(refused.events.length, 4)
    })
  )

  it.effect("W125: fails at once with the server, its metadata and what to do, where the provider cannot help", () =>
    Effect.gen(function* () {
      const { refused, server, session } = yield* refusing({ refused: () => Effect.succeed(false) }, Infinity)
      const error = yield* Effect.flip(session.call(ping)())
      assert.instanceOf(error, Error)
      assert.strictEqual(
        error.message,
        `tools/call "ping" at ${server.url}: the server asks for another token than it was shown (HTTP 401), ` +
          `and says how to get it at ${metadata}; log in again`
      )
      const reason = yield* reasonOf(Effect.fail(error))
      assert.deepInclude(reason, { _tag: "Unauthorized", server: server.url, metadata })
      assert.deepStrictEqual([server.seen.events.length, refused.events.length], [2, 1])
    })
  )

  it.effect("W125: fails at once with the words of a provider that fails, and did not run", () =>
    Effect.gen(function* () {
      const scripts: ReadonlyArray<readonly [TokenScript, number]> = [
        [{ headers: (_, nth) => (nth === 1 ? Effect.succeed({}) : Effect.fail(loginNeeded())) }, 1],
        [{ refused: () => Effect.fail(loginNeeded()) }, 2]
      ]
      for (const [script, sent] of scripts) {
        const { server, session } = yield* refusing(script, Infinity)
        const error = yield* Effect.flip(session.callTool("ping"))
        assert.strictEqual(error.message, `tools/call "ping" at ${server.url}: log in first: treadle login box`)
        assert.deepStrictEqual([error.reason._tag, error.notRun], ["Unauthorized", true])
        assert.strictEqual(server.seen.events.length, sent)
      }
    })
  )

  it.effect("B082: fails to open in the same words, and says nothing of the era", () =>
    Effect.gen(function* () {
      for (const script of [
        { headers: () => Effect.fail(loginNeeded()) },
        { refused: () => Effect.fail(loginNeeded()) }
      ]) {
        const { auth, life } = scriptedTokens(script)
        const server = yield* scriptedHttp(guarded(serving(), () => 401))
        const error = yield* Effect.flip(Effect.scoped(McpClient.http(server.url, { auth })))
        assert.strictEqual(error.message, `server/discover at ${server.url}: log in first: treadle login box`)
        assert.isTrue(error.notRun)
        assert.deepStrictEqual(life, [`open ${server.url}`, "close"])
        assert.isAtMost(server.seen.events.length, 1)
      }
    })
  )

  it.effect("gives up the body of the refusal, so that its connection is free", () =>
    Effect.gen(function* () {
      let cancelled = 0
      const endless = () => new ReadableStream<Uint8Array>({ cancel: () => void cancelled++ })
      const fetch = async (request: Request) => {
        const { id, method } = await request.json()
        if (method === "server/discover") return Response.json(result(id, discoverResult))
        const good = request.headers.get("authorization") === "Bearer 4"
        return good ? Response.json(result(id, textResult("ok"))) : new Response(endless(), { status: 401 })
      }
      const { auth } = scriptedTokens()
      const session = yield* McpClient.http("http://in-process.test/mcp", { auth, fetch })
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.strictEqual(cancelled, 2)
    })
  )

  it.effect("is alone in that: others at the same time have headers of their own", () =>
    Effect.gen(function* () {
      const tokens = scriptedTokens()
      const script = guarded(serving(), ({ headers }) => (headers.authorization === "Bearer 3" ? 401 : undefined))
      const { server, session } = yield* opened(script, { auth: tokens.auth })
      const calls = Effect.all([session.call(ping)(), session.call(ping)(), session.call(ping)()], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(yield* calls, ["ok", "ok", "ok"])
      assert.deepStrictEqual(shown(server).toSorted(), ["Bearer 1", "Bearer 2", "Bearer 3", "Bearer 4", "Bearer 5"])
      assert.strictEqual(tokens.refused.events.length, 1)
    })
  )
})

describe("a request that is refused with 403", () => {
  it.effect("AUTH-23: is sent again where the provider learned from it", () =>
    Effect.gen(function* () {
      const { refused, session } = yield* refusing({}, 1, {}, 403)
      assert.strictEqual(yield* session.call(ping)(), "ok")
      const challenge = refused.events[0]?.response.header("www-authenticate")
      assert.include(challenge, 'scope="seats:write"')
    })
  )

  it.effect("AUTH-22: is Unauthorized for want of rights, with what is missing, and did not run", () =>
    Effect.gen(function* () {
      const { server, session } = yield* refusing({ refused: () => Effect.succeed(false) }, Infinity, {}, 403)
      const error = yield* Effect.flip(session.callTool("ping"))
      assert.deepInclude(error.reason, { _tag: "Unauthorized", server: server.url, metadata })
      assert.include(
        error.message,
        `asks for a token for "seats:write" (HTTP 403), and says how to get it at ${metadata}`
      )
      assert.isTrue(error.notRun)
    })
  )

  it.effect("AUTH-22: is that, too, where the body is a JSON-RPC error", () =>
    Effect.gen(function* () {
      const challenge = { "content-type": "application/json", "www-authenticate": "Bearer error=insufficient_scope" }
      const { session } = yield* opened(
        serving(({ json }, reply) => reply.raw(JSON.stringify(rpcError(json.id, -32603, "no")), challenge, 403))
      )
      const reason = yield* reasonOf(session.call(ping)())
      assert.strictEqual(reason._tag, "Unauthorized")
      assert.include(reason.message, "asks for a token for more (HTTP 403); log in again")
    })
  )

  it.effect("is what the server says where it speaks of no rights", () =>
    Effect.gen(function* () {
      const { auth, refused } = scriptedTokens({ refused: () => Effect.succeed(false) })
      const { session } = yield* opened(
        serving((_, reply) => reply.raw("go away", {}, 403)),
        { auth }
      )
      assert.deepInclude(yield* reasonOf(session.call(ping)()), { _tag: "Transport", status: 403, body: "go away" })
      assert.strictEqual(refused.events.length, 1)
    })
  )
})

describe("headers that cannot be sent", () => {
  const secret = "s3cret\nx"

  it.effect("W159: fail with their name and not with their value, whoever gave them", () =>
    Effect.gen(function* () {
      const { auth } = scriptedTokens({ headers: () => Effect.succeed({ authorization: secret }) })
      const server = yield* scriptedHttp(serving())
      const settings: ReadonlyArray<readonly [HttpSettings, string, string]> = [
        [{ auth }, "Unauthorized", "the token provider gave"],
        [{ headers: { "x-key": "fine", authorization: secret } }, "Transport", 'the "headers" setting gave']
      ]
      for (const [given, tag, who] of settings) {
        const error = yield* Effect.flip(Effect.scoped(McpClient.http(server.url, given)))
        assert.strictEqual(error.reason._tag, tag)
        assert.isTrue(error.notRun)
        assert.include(error.message, `${who} "authorization" that is no header`)
        for (const text of [error.message, String(error), JSON.stringify(error), inspect(error, { depth: 9 })]) {
          assert.notInclude(text, "s3cret")
        }
      }
      assert.strictEqual(server.seen.events.length, 0)
    })
  )
})

import { createServer, type AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawHttp, Recorder, scriptedHttp } from "@treadle/testing"
import type { AddressPolicy } from "../../src/AddressGuard.ts"
import { makeGuardedSender, type GuardedSenderSettings } from "../../src/node/GuardedSender.ts"
import type { OAuthRequest } from "../../src/OAuthSender.ts"

const own: AddressPolicy = { loopback: true, privateNetworks: false }
const nothing: AddressPolicy = { loopback: false, privateNetworks: false }

const asked = (url: string, more: Partial<OAuthRequest> = {}): OAuthRequest => ({
  url: new URL(url),
  method: "GET",
  headers: new Headers(),
  body: undefined,
  signal: new AbortController().signal,
  ...more
})

/** A resolver that says what it was asked. */
const resolver = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const names: Array<string> = []
  const resolve = async (name: string) => answers[names.push(name) - 1] ?? []
  return { names, resolve }
}

const sent = (request: OAuthRequest, settings: GuardedSenderSettings = {}, policy = own) =>
  Effect.promise(() => makeGuardedSender(settings)(request, policy))

/** An error, and what one says that tells of an address. */
interface Rejected extends Error {
  readonly _tag?: string
  readonly url?: string
  readonly why?: string
}

/** What a request that gets no response rejects with. */
const rejected = (request: OAuthRequest, settings: GuardedSenderSettings = {}, policy = own) =>
  Effect.promise(() =>
    makeGuardedSender(settings)(request, policy).then(
      () => assert.fail("there was a response"),
      (error: Rejected) => error
    )
  )

describe("a guarded sender", () => {
  it.effect("sends what it is given, and hands on status, headers and body", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp((_, reply) => reply.raw('{"né":1}', { "x-one": "1" }, 418))
      const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" })
      const response = yield* sent(asked(server.url, { method: "POST", headers, body: "a=é" }))
      assert.strictEqual(response.status, 418)
      assert.strictEqual(response.headers.get("x-one"), "1")
      assert.deepStrictEqual(yield* Effect.promise(() => response.json()), { né: 1 })
      const [seen] = server.seen.events
      assert.deepInclude(seen, { verb: "POST", text: "a=é" })
      assert.deepInclude(seen?.headers, {
        "content-type": "application/x-www-form-urlencoded",
        "content-length": "4",
        "accept-encoding": "identity",
        connection: "close"
      })
    })
  )

  it.effect("SEC-01: follows no redirect", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp((_, reply) => reply.raw("", { location: "http://127.0.0.1:1/" }, 302))
      const response = yield* sent(asked(server.url))
      assert.strictEqual(response.status, 302)
      assert.strictEqual(server.seen.events.length, 1)
    })
  )

  it.effect("hands on an answer without a body", () =>
    Effect.gen(function* () {
      const server = yield* rawHttp((_, reply) => reply.write("HTTP/1.1 204 x\r\n\r\n"))
      const response = yield* sent(asked(server.url))
      assert.strictEqual(response.status, 204)
      assert.isNull(response.body)
    })
  )

  it.effect("SEC-01: refuses by the text of the address without resolving anything", () =>
    Effect.gen(function* () {
      const { names, resolve } = resolver(["8.8.8.8"])
      const refused = yield* rejected(asked("http://as.example/"), { resolve })
      assert.deepInclude(refused, { _tag: "AddressRefused", why: "it is not https" })
      assert.deepStrictEqual(names, [])
    })
  )

  it.effect("SEC-01: refuses a literal address that may not be called", () =>
    Effect.gen(function* () {
      const refused = yield* rejected(asked("https://[::ffff:10.0.0.1]/x?code=secret"))
      assert.deepInclude(refused, { _tag: "AddressRefused", url: "https://[::ffff:a00:1]/x" })
    })
  )

  it.each([
    [["10.0.0.7"], 'is in a private network; say network: "private" to allow it'],
    [["8.8.8.8", "127.0.0.1"], 'is this machine; say network: "loopback" to allow it'],
    [["2606:4700::1", "::ffff:127.0.0.1"], 'is this machine; say network: "loopback" to allow it'],
    [["8.8.8.8", "169.254.169.254"], "is no address of a server"],
    [["64:ff9b::a9fe:a9fe"], "is no address of a server"],
    [["::"], "is no address of a server"],
    [["fe80::1%eth0"], "is no address of a server"],
    [["::1%br-12"], "is no IP"],
    [["elsewhere.example"], "is no IP"]
  ] as const)("SEC-01: refuses a name that resolves to %s", async (found, why) => {
    const { resolve } = resolver(found)
    const request = asked("https://as.example/token?code=secret")
    const refused = await Effect.runPromise(rejected(request, { resolve }, nothing))
    assert.deepInclude(refused, {
      _tag: "AddressRefused",
      url: "https://as.example/token",
      why: `as.example leads to ${found.at(-1)}, which ${why}`
    })
  })

  it.effect("SEC-01: does not believe that a name of this machine leads elsewhere", () =>
    Effect.gen(function* () {
      const { resolve } = resolver(["127.0.0.1", "8.8.8.8"])
      const refused = yield* rejected(asked("http://as.localhost/"), { resolve })
      assert.deepInclude(refused, { why: "as.localhost leads to 8.8.8.8, which is not this machine" })
    })
  )

  it.effect("fails where a name has no address", () =>
    Effect.gen(function* () {
      const error = yield* rejected(asked("https://as.example/"), { resolve: resolver([]).resolve })
      assert.strictEqual(error.message, "as.example has no address")
    })
  )

  it.effect("SEC-01: dials what was judged: a name is resolved once, and rebinding it changes nothing", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp((_, reply) => reply.json("here"))
      const { names, resolve } = resolver(["127.0.0.1"], ["10.0.0.1"])
      const response = yield* sent(asked(`http://as.localhost:${server.port}/x`), { resolve })
      assert.strictEqual(yield* Effect.promise(() => response.json()), "here")
      assert.deepStrictEqual(names, ["as.localhost"])
      assert.strictEqual(server.seen.events[0]?.headers.host, `as.localhost:${server.port}`)
    })
  )

  it.effect("tries the next address where one does not answer, and says of all why none did", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp((_, reply) => reply.json("here"))
      const url = `http://as.localhost:${server.port}/`
      const response = yield* sent(asked(url), { resolve: resolver(["127.9.9.9", "127.0.0.1"]).resolve })
      assert.strictEqual(response.status, 200)
      const error = yield* rejected(asked(url), { resolve: resolver(["127.9.9.8", "127.9.9.9"]).resolve })
      assert.match(error.message, /ECONNREFUSED 127\.9\.9\.8:.*; .*ECONNREFUSED 127\.9\.9\.9:/)
    })
  )

  it.effect.each(["http:", "https:"])("says why an address cannot even be dialled over %s", (protocol) =>
    Effect.gen(function* () {
      // No connection is made to a broadcast address, which the system knows without asking anybody.
      const { resolve } = resolver(["127.255.255.255"])
      const error = yield* rejected(asked(`${protocol}//as.localhost/`), { resolve })
      assert.match(error.message, /^connect E[A-Z]+ 127\.255\.255\.255:/)
    })
  )

  it.effect("greets over TLS by the name, not by the address that was dialled", () =>
    Effect.gen(function* () {
      const greetings = new Recorder<Buffer>()
      const server = yield* Effect.acquireRelease(
        Effect.promise(
          () =>
            new Promise<ReturnType<typeof createServer>>((resolve) => {
              const server = createServer((socket) =>
                socket
                  .on("error", () => {})
                  .once("data", (bytes) => {
                    greetings.record(bytes)
                    socket.destroy()
                  })
              ).listen(0, "127.0.0.1", () => resolve(server))
            })
        ),
        (server) => Effect.sync(() => server.close())
      )
      const { port } = server.address() as AddressInfo
      yield* rejected(asked(`https://as.localhost:${port}/`), { resolve: resolver(["127.0.0.1"]).resolve })
      assert.isTrue(greetings.events[0]?.includes("as.localhost"))
    })
  )

  it.effect("reads no more of a body than the limit says", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp((_, reply) => reply.raw("x".repeat(1024 * 1024 + 1)))
      const error = yield* rejected(asked(server.url))
      assert.strictEqual(error.message, "the response is longer than 1048576 bytes")
      const { status } = yield* sent(asked(server.url), { bodyLimit: 1024 * 1024 + 1 })
      assert.strictEqual(status, 200)
    })
  )

  it.each([
    ["a head of 64 KiB", `HTTP/1.1 200 x\r\nx: ${"x".repeat(65_536)}\r\n\r\n`, /Header overflow/],
    ["an upgrade", "HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", /the connection was closed/],
    ["a compressed body", "HTTP/1.1 200 x\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx", /compressed/],
    ["a status that there is not", "HTTP/1.1 999 x\r\ncontent-length: 0\r\n\r\n", /status/],
    ["a body that breaks off", "HTTP/1.1 200 x\r\ncontent-length: 9\r\n\r\nx", /aborted/],
    ["nothing", "", /hang up|closed/]
  ])("fails on %s", async (_, bytes, why) => {
    const reason = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* rawHttp(async (_, reply) => {
            await reply.write(bytes)
            reply.end()
          })
          return yield* rejected(asked(server.url))
        })
      )
    )
    assert.match(reason.message, why)
  })

  it.effect("gives up with its signal, before it dials, while it waits and while it reads", () =>
    Effect.gen(function* () {
      const aborted = yield* rejected(asked("http://127.0.0.1:1/", { signal: AbortSignal.abort() }))
      assert.match(aborted.message, /aborted/)

      const resolving = new AbortController()
      const resolve = () => new Promise<never>(() => resolving.abort())
      const unresolved = yield* rejected(asked("http://as.localhost/", { signal: resolving.signal }), { resolve })
      assert.strictEqual(unresolved.message, "it was given up")

      const waiting = new AbortController()
      const silent = yield* scriptedHttp(() => waiting.abort())
      assert.match((yield* rejected(asked(silent.url, { signal: waiting.signal }))).message, /aborted/)

      const reading = new AbortController()
      const endless = yield* rawHttp(async (_, reply) => {
        await reply.write("HTTP/1.1 200 x\r\ncontent-length: 9\r\n\r\nx")
        setImmediate(() => reading.abort())
      })
      assert.match((yield* rejected(asked(endless.url, { signal: reading.signal }))).message, /aborted|given up/)
      yield* Effect.promise(() => endless.seen.events[0]?.gone ?? assert.fail("nothing came"))
    })
  )
})

it.each([
  [{ bodyLimit: 0 }, "bodyLimit must be a whole number above 0"],
  [{ resolver: async () => [] }, "resolver: there is no such setting; write resolve"]
])("a sender is not made with settings that cannot work: %j", (settings, why) => {
  assert.throws(() => makeGuardedSender(settings as object), TypeError, why)
})

import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http"
import { connect, type AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Recorder } from "@treadle/testing"
import type { BrowserVisit } from "../../src/Browser.ts"
import { makeLoopbackBrowser, type LoopbackSettings } from "../../src/node/LoopbackListener.ts"

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Asks the listener of an address, with a Host header of its own if need be. */
const ask = (url: string, { method = "GET", host }: { method?: string; host?: string } = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, pathname, port, search } = new URL(url)
    const options = {
      host: "127.0.0.1",
      port,
      path: pathname + search,
      method,
      headers: { host: host ?? `${hostname}:${port}` }
    }
    const request = httpRequest(options, async (response) => {
      let text = ""
      for await (const chunk of response) text += String(chunk)
      resolve({ status: response.statusCode, headers: response.headers, text })
    })
    request.on("error", reject).end()
  })

const isRefused = (url: string) =>
  Effect.promise(() =>
    ask(url).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED"
    )
  )

const page = new URL("https://as.example/authorize?client_id=c&state=s1")

/** A login that has begun: its page was shown, and the way back is awaited. */
const begun = (settings: LoopbackSettings = {}, preferred?: string) =>
  Effect.gen(function* () {
    const shown = new Recorder<URL>()
    const browser = makeLoopbackBrowser({ open: (url) => shown.record(url), onOpen: () => {}, ...settings })
    const visit = yield* browser.visit(preferred)
    const login = yield* Effect.forkChild(visit.open(page, "s1"))
    yield* Effect.promise(() => shown.first(() => true))
    return { visit, login, shown, back: `${visit.redirectUri}?state=s1&code=c1` }
  })

const statusOf = (...asking: Parameters<typeof ask>) =>
  Effect.map(
    Effect.promise(() => ask(...asking)),
    ({ status }) => status
  )

/** A port of this machine that somebody listens at. */
const taken = Effect.map(
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer().listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) => Effect.sync(() => server.close())
  ),
  (server) => (server.address() as AddressInfo).port
)

/** A port that was free just now. */
const free = Effect.scoped(taken)

describe("the loopback listener", () => {
  it.effect("W140: shows the page, listens on 127.0.0.1, and gives what came back", () =>
    Effect.gen(function* () {
      const { back, login, shown, visit } = yield* begun()
      assert.match(visit.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
      assert.deepStrictEqual(shown.events.map(String), [page.href])
      yield* Effect.promise(() => ask(`${back}&iss=https%3A%2F%2Fas.example`))
      const parameters = yield* Fiber.join(login)
      assert.deepStrictEqual(
        [...parameters],
        [
          ["state", "s1"],
          ["code", "c1"],
          ["iss", "https://as.example"]
        ]
      )
    })
  )

  const stray: ReadonlyArray<readonly [what: string, status: number, tail: string, more?: Parameters<typeof ask>[1]]> =
    [
      ["another path", 404, "/callback/?state=s1&code=c1"],
      ["a path in other letters", 404, "/%63allback?state=s1&code=c1"],
      ["the root", 404, "/?state=s1&code=c1"],
      ["the icon", 404, "/favicon.ico"],
      ["a POST", 405, "/callback?state=s1&code=c1", { method: "POST" }],
      ["a HEAD", 405, "/callback?state=s1&code=c1", { method: "HEAD" }],
      ["an OPTIONS", 405, "/callback?state=s1&code=c1", { method: "OPTIONS" }],
      ["no state", 400, "/callback?code=c1"],
      ["no query", 400, "/callback"],
      ["an empty state", 400, "/callback?state=&code=c1"],
      ["another state", 400, "/callback?state=s2&code=c1"],
      ["the state twice", 400, "/callback?state=s1&state=s1&code=c1"],
      ["two states", 400, "/callback?state=s1&code=c1&state=s2"],
      ["two codes", 400, "/callback?state=s1&code=c1&code=c2"],
      ["two issuers", 400, "/callback?state=s1&code=c1&iss=a&iss=b"],
      ["an error with another state", 400, "/callback?state=s2&error=access_denied"],
      ["a foreign name", 403, "/callback?state=s1&code=c1", { host: "evil.example" }],
      ["another name of this machine", 403, "/callback?state=s1&code=c1", { host: "localhost" }],
      ["no port in the name", 403, "/callback?state=s1&code=c1", { host: "127.0.0.1" }]
    ]

  it.effect("W140 B108 AUTH-18: turns away whatever else comes, and the login goes on", () =>
    Effect.gen(function* () {
      const { back, login, visit } = yield* begun()
      const { origin } = new URL(visit.redirectUri)
      for (const [what, status, tail, more] of stray) {
        assert.strictEqual(yield* statusOf(origin + tail, more), status, what)
      }
      assert.isUndefined(login.pollUnsafe())
      assert.strictEqual(yield* statusOf(back), 200)
      assert.strictEqual((yield* Fiber.join(login)).get("code"), "c1")
    })
  )

  it.effect("names the method that it takes", () =>
    Effect.gen(function* () {
      const { back } = yield* begun()
      const { headers } = yield* Effect.promise(() => ask(back, { method: "PUT" }))
      assert.strictEqual(headers.allow, "GET")
    })
  )

  it.effect("turns away everything before a page was shown", () =>
    Effect.gen(function* () {
      const visit = yield* makeLoopbackBrowser().visit()
      assert.strictEqual(yield* statusOf(`${visit.redirectUri}?state=undefined&code=c1`), 400)
      assert.strictEqual(yield* statusOf(`${visit.redirectUri}?code=c1`), 400)
    })
  )

  it.effect("B108: takes one way back; a second one is told that the login is over", () =>
    Effect.gen(function* () {
      const { back, login } = yield* begun()
      assert.strictEqual(yield* statusOf(back), 200)
      assert.strictEqual(yield* statusOf(`${back}2`), 410)
      assert.strictEqual((yield* Fiber.join(login)).get("code"), "c1")
    })
  )

  it.effect("shows pages that say what happened, run nothing, and reflect nothing", () =>
    Effect.gen(function* () {
      const { back } = yield* begun()
      const granted = yield* Effect.promise(() => ask(back))
      const { back: other } = yield* begun()
      const denied = yield* Effect.promise(() => ask(other.replace("code=c1", "error=%3Cscript%3Ebad%3C%2Fscript%3E")))
      for (const { headers, text } of [granted, denied]) {
        assert.deepInclude(headers, {
          "content-type": "text/html; charset=utf-8",
          "cache-control": "no-store",
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff"
        })
        assert.notMatch(text, /script|bad|s1|c1|href|src/i)
        assert.include(text, "You can close this window")
      }
      assert.include(granted.text, "Thank you")
      assert.include(denied.text, "Login was not granted")
    })
  )

  it.effect("has a path of the developer's, and the name of this machine where a server insists on it", () =>
    Effect.gen(function* () {
      const { back, login, visit } = yield* begun({ path: "done", redirectHost: "localhost" })
      assert.match(visit.redirectUri, /^http:\/\/localhost:\d+\/done$/)
      assert.strictEqual(yield* statusOf(back, { host: `127.0.0.1:${new URL(back).port}` }), 403)
      assert.strictEqual(yield* statusOf(back, { host: `LOCALHOST:${new URL(back).port}` }), 200)
      yield* Fiber.join(login)
    })
  )
})

describe("the port of the loopback listener", () => {
  it.effect("B098: is that of the registered address, and any free one where that is taken", () =>
    Effect.gen(function* () {
      const browser = makeLoopbackBrowser()
      const known = `http://127.0.0.1:${yield* free}/callback`
      assert.strictEqual((yield* Effect.scoped(browser.visit(known))).redirectUri, known)
      const busy = `http://127.0.0.1:${yield* taken}/callback`
      assert.notStrictEqual((yield* browser.visit(busy)).redirectUri, busy)
    })
  )

  it.effect("is not taken from a registered address that it cannot have", () =>
    Effect.gen(function* () {
      const port = yield* free
      const others = [`https://127.0.0.1:${port}/callback`, `http://127.0.0.1:${port}/other`]
      const all = [...others, `http://localhost:${port}/callback`, `http://127.0.0.1:${port}/callback?x`, "nonsense"]
      for (const other of all) {
        const { redirectUri } = yield* makeLoopbackBrowser().visit(other)
        assert.match(redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
        assert.notStrictEqual(new URL(redirectUri).port, String(port))
      }
    })
  )

  it.effect("B098: is the developer's and no other: where it is taken, a login fails and says so", () =>
    Effect.gen(function* () {
      const port = yield* free
      const other = `http://127.0.0.1:${yield* free}/callback`
      const { redirectUri } = yield* Effect.scoped(makeLoopbackBrowser({ port }).visit(other))
      assert.strictEqual(redirectUri, `http://127.0.0.1:${port}/callback`)
      const busy = yield* taken
      const failed = yield* Effect.flip(makeLoopbackBrowser({ port: busy }).visit())
      assert.strictEqual(
        failed.message,
        `port ${busy} of 127.0.0.1, where a login is to come back to, cannot be listened at (EADDRINUSE); end what ` +
          "uses it, or set another port"
      )
    })
  )
})

describe("the end of a login", () => {
  const login = (visit: BrowserVisit) => visit.open(page, "s1")

  it.effect("W141: comes after the time limit, which it names, and closes the listener", () =>
    Effect.gen(function* () {
      const { back, login } = yield* begun()
      yield* TestClock.adjust(299_999)
      assert.isUndefined(login.pollUnsafe())
      yield* TestClock.adjust(1)
      const failed = yield* Effect.flip(Fiber.join(login))
      assert.strictEqual(failed.message, "nobody came back from the login within 300 s; log in again")
      assert.isTrue(yield* isRefused(back))
    })
  )

  it.effect("W141: comes with interruption, and closes the listener", () =>
    Effect.gen(function* () {
      const { back, login } = yield* begun()
      yield* Fiber.interrupt(login)
      assert.isTrue(yield* isRefused(back))
    })
  )

  it.effect("comes with the scope, which leaves no socket open", () =>
    Effect.gen(function* () {
      const gone = new Recorder<string>()
      const redirectUri = yield* Effect.scoped(
        Effect.gen(function* () {
          const { visit } = yield* begun()
          const { port } = new URL(visit.redirectUri)
          yield* Effect.promise(
            () =>
              new Promise<void>((resolve) => {
                const idle = connect(Number(port), "127.0.0.1", resolve)
                idle.on("error", () => {}).on("close", () => gone.record("closed"))
              })
          )
          return visit.redirectUri
        })
      )
      yield* Effect.promise(() => gone.first(() => true))
      assert.isTrue(yield* isRefused(redirectUri))
    })
  )

  it.effect("SEC-02: comes before it began where the page may not be shown", () =>
    Effect.gen(function* () {
      const told = new Recorder<URL>()
      const browser = makeLoopbackBrowser({ onOpen: (url) => told.record(url), open: (url) => told.record(url) })
      for (const url of ["javascript:alert(1)", "http://as.example/", "file:///etc/passwd"]) {
        const visit = yield* browser.visit()
        const failed = yield* Effect.flip(visit.open(new URL(url), "s1"))
        assert.strictEqual(failed._tag, "LoginNeeded")
        assert.include(failed.message, "a browser is sent to https only, or to http on this machine")
      }
      assert.deepStrictEqual(told.events, [])
    })
  )

  it.effect("comes at once where the developer's opener fails, without its words", () =>
    Effect.gen(function* () {
      const open = () => Promise.reject(new Error("code=secret"))
      const visit = yield* makeLoopbackBrowser({ open, onOpen: () => {} }).visit()
      const failed = yield* Effect.flip(login(visit))
      assert.strictEqual(
        failed.message,
        "the page of the authorization server could not be shown: the setting `open` failed"
      )
    })
  )

  it.effect("tells the page to whoever wants to open it by hand", () =>
    Effect.gen(function* () {
      const told = new Recorder<URL>()
      const { back } = yield* begun({ onOpen: (url) => told.record(url) })
      assert.deepStrictEqual(told.events.map(String), [page.href])
      yield* Effect.promise(() => ask(back))
    })
  )

  it.effect("may be followed by another login of the same visit, with another state", () =>
    Effect.gen(function* () {
      const { back, login, visit } = yield* begun()
      yield* Effect.promise(() => ask(back))
      yield* Fiber.join(login)
      const second = yield* Effect.forkChild(visit.open(page, "s2"), { startImmediately: true })
      assert.strictEqual(yield* statusOf(back), 400)
      assert.strictEqual(yield* statusOf(back.replace("s1", "s2")), 200)
      assert.strictEqual((yield* Fiber.join(second)).get("state"), "s2")
    })
  )
})

describe("settings of the loopback browser that cannot work", () => {
  const wrong: ReadonlyArray<readonly [object, string]> = [
    [{ timeout: -1 }, "timeout must be a finite number of milliseconds"],
    [{ timeout: Infinity }, "timeout must be a finite number of milliseconds"],
    [{ path: "" }, "path must be a text that is not empty"],
    [{ port: 70_000 }, "port must be a whole number up to 65535"],
    [{ port: "8400" }, "port must be a whole number up to 65535"],
    [{ redirectHost: "0.0.0.0" }, 'redirectHost must be "127.0.0.1" or "localhost"'],
    [{ open: true }, "open must be a function"],
    [{ onOpened: () => {} }, "onOpened: there is no such setting; write onOpen"]
  ]
  it.each(wrong)("are told when it is made: %j", (settings, why) => {
    assert.throws(() => makeLoopbackBrowser(settings), TypeError, why)
  })
})

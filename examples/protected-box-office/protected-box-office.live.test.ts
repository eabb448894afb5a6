/** The protected box office, whose users log in by Chromium at a real authorization server. */
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it, layer } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { McpNodeClient } from "@treadle/client/node"
import { makeMemoryStore, OAuth } from "@treadle/oauth"
import { NodeOAuth } from "@treadle/oauth/node"
import { parseChallenges } from "@treadle/protocol/http"
import * as Effect from "effect/Effect"
import { build } from "esbuild"
import { listShows, seatTheParty } from "../box-office/contract.ts"
import { runAuthorization, type AuthorizationSettings } from "./authorization.ts"
import { agrees, Chromium, chromiumPath, person, refuses, type Behaviour } from "./chromium.ts"
import { consentPage, loginPage } from "./pages.ts"
import { scopes, serve } from "./server.ts"

/** An authorization server and its box office, until the scope closes. */
const running = Effect.fnUntraced(function* (settings: AuthorizationSettings = {}) {
  const authorization = yield* Effect.acquireRelease(
    Effect.promise(() => runAuthorization(settings)),
    ({ close }) => Effect.promise(close)
  )
  const { url } = yield* Effect.acquireRelease(
    Effect.promise(() => serve(authorization.issuer)),
    (server) => Effect.promise(() => server.close())
  )
  authorization.serve(url, [...scopes.supported, "seats:all"])
  return { authorization, url }
})

/** A desk whose user behaves so; `nobody` is the same desk without a user. */
const deskOf = Effect.fnUntraced(function* (behaviour: Behaviour, wanted: ReadonlyArray<string> = []) {
  const user = yield* person(behaviour)
  const common = { clientName: "Desk", store: makeMemoryStore(), scopes: wanted }
  const auth = NodeOAuth.browser({ ...common, browser: user.browser })
  return { auth, nobody: OAuth.browser(common), visits: user.visits }
})

const party = { id: 1, guests: ["Grace"] }
const seated = { seats: ["Grace: row A, seat 1, guest of Ada"] }

const senders = { fetch: McpClient.http, "node:http": McpNodeClient.http }
const doors = (["2026-07-28", "2025-11-25"] as const).flatMap((revision) =>
  (["fetch", "node:http"] as const).map((sender) => ({ revision, sender, open: senders[sender] }))
)

const redirect = "http://127.0.0.1:1/callback"

/** The program as it is built, with a person who opens the pages that it prints. */
const program = Effect.fnUntraced(function* (open: (url: URL) => Promise<void>) {
  // Beside the sources, so that the bundle finds its dependencies.
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(import.meta.dirname, ".live-"))),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
  )
  const outfile = path.join(folder, "main.mjs")
  yield* Effect.promise(() =>
    build({
      entryPoints: [path.join(import.meta.dirname, "main.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      conditions: ["@treadle/source"],
      external: ["effect", "jose", "oauth4webapi", "ipaddr.js", "oidc-provider"],
      logLevel: "error"
    })
  )
  const child = yield* Effect.acquireRelease(
    // Without a path there is no browser to open.
    Effect.sync(() =>
      spawn(process.execPath, [outfile, "--once"], { env: { PATH: "" }, stdio: ["ignore", "pipe", "pipe"] })
    ),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  const lines: Array<string> = []
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line))
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.startsWith("http://127.0.0.1:")) void open(new URL(line)).catch(() => child.kill("SIGKILL"))
  })
  const code = yield* Effect.callback<number | null>((resume) => {
    child.once("close", (ended) => resume(Effect.succeed(ended)))
  })
  return { code, lines }
})

const why = "Chromium is not installed, or CHROMIUM_PATH names it wrongly"
const title = chromiumPath === undefined ? `people who log in with Chromium (skipped: ${why})` : "people who log in"
const timeout = 60_000

describe.skipIf(chromiumPath === undefined)(title, () => {
  layer(Chromium.layer, { timeout, excludeTestServices: true })((it) => {
    for (const { open, revision, sender } of doors) {
      it.effect(
        `AUTH-23: are asked once for what they look at, and for more once they need it (${revision}, ${sender})`,
        () =>
          Effect.gen(function* () {
            const { url } = yield* running()
            const { auth, nobody, visits } = yield* deskOf(agrees("Ada"))
            const session = yield* open(url, { auth, revision })
            assert.strictEqual(session.version, revision)
            const shows = yield* session.call(listShows)()
            assert.strictEqual(shows.map(({ title }) => title).join(), "Evening bill,Late bill")
            const [first, ...others] = yield* visits
            const read = ["shows:read", "offline_access"]
            assert.deepInclude(first, { asked: read, wished: read })
            assert.deepStrictEqual(others, [])

            assert.deepStrictEqual(yield* session.call(seatTheParty)(party), seated)
            const all = yield* visits
            assert.deepInclude(all[1], { asked: [...read, "seats:write"], wished: ["seats:write"] })
            for (const { read } of all) assert.include(read, "You can close this window")

            const second = yield* open(url, { auth: nobody, revision })
            assert.deepStrictEqual(yield* second.call(seatTheParty)(party), seated)
            assert.strictEqual((yield* visits).length, 2)
          }),
        timeout
      )
    }

    it.effect(
      "AUTH-24: are not asked again for what follows from a right that they gave",
      () =>
        Effect.gen(function* () {
          const { url } = yield* running()
          const { auth, visits } = yield* deskOf(agrees("Ada"), ["seats:all"])
          const session = yield* McpNodeClient.http(url, { auth })
          assert.deepStrictEqual(yield* session.call(seatTheParty)(party), seated)
          assert.deepStrictEqual(
            (yield* visits).map(({ wished }) => wished),
            [["seats:all", "shows:read", "offline_access"]]
          )
        }),
      timeout
    )

    it.effect(
      "that do not agree make an error that says so",
      () =>
        Effect.gen(function* () {
          const { authorization, url } = yield* running()
          const { auth, visits } = yield* deskOf(refuses("Ada"))
          const failure = yield* Effect.flip(McpNodeClient.http(url, { auth }))
          assert.strictEqual(
            failure.message,
            `server/discover at ${url}: it is not authorized: the authorization was refused: access_denied, ` +
              '"The person did not agree"'
          )
          assert.include((yield* visits)[0]?.read, "Login was not granted")
          assert.notInclude(authorization.requests, "POST /token")
          assert.isFalse(yield* auth.isLoggedIn(url))
        }),
      timeout
    )

    it.effect(
      "AUTH-18 W140: log in though somebody else calls their way back, before and after",
      () =>
        Effect.gen(function* () {
          const { url } = yield* running()
          const turnedAway: Array<string | null> = []
          const { auth, visits } = yield* deskOf(async (page, login) => {
            const back = `${login.searchParams.get("redirect_uri")}?code=stolen&state=guessed`
            await page.goto(back)
            turnedAway.push(await page.textContent("h1"))
            await page.goto(login.href)
            return agrees("Ada")(page, login)
          })
          const session = yield* McpNodeClient.http(url, { auth })
          const [visit] = yield* visits
          assert.deepStrictEqual(turnedAway, ["Not the expected answer"])
          const again = yield* Effect.promise(() => fetch(visit?.end ?? "").catch((error: Error) => error))
          assert.instanceOf(again, TypeError)
          assert.strictEqual((yield* session.call(listShows)({ search: "Late" })).length, 1)
        }),
      timeout
    )

    it.effect(
      "W152: are not asked while a refresh does",
      () =>
        Effect.gen(function* () {
          const { authorization, url } = yield* running({ tokenTime: 2 })
          const { auth, visits } = yield* deskOf(agrees("Ada"))
          const session = yield* McpNodeClient.http(url, { auth })
          yield* session.call(listShows)()
          yield* Effect.sleep("2 seconds")
          yield* session.call(listShows)({ search: "Late" })
          assert.strictEqual((yield* visits).length, 1)
          assert.isAbove(authorization.requests.filter((request) => request === "POST /token").length, 1)
        }),
      timeout
    )

    it.effect(
      "W158: are needed again after a logout",
      () =>
        Effect.gen(function* () {
          const { url } = yield* running()
          const { auth, nobody, visits } = yield* deskOf(agrees("Ada"))
          yield* auth.login(url)
          assert.strictEqual((yield* visits).length, 1)
          const session = yield* McpNodeClient.http(url, { auth: nobody })
          yield* session.call(listShows)()
          assert.isTrue(yield* nobody.logout(url))
          const again = Effect.asVoid(McpNodeClient.http(url, { auth: nobody }))
          for (const next of [Effect.asVoid(session.call(listShows)()), again]) {
            const failure = yield* Effect.flip(next)
            assert.include(failure.message, 'a person has to log in, and there is no "browser" setting')
          }
          assert.isFalse(yield* auth.logout(url))
        }),
      timeout
    )

    it.effect(
      "see the program do all of this, which prints its pages for whoever has no browser",
      () =>
        Effect.gen(function* () {
          const { open } = yield* person(agrees("Ada"))
          const { code, lines } = yield* program(open)
          const [first, second, ...others] = lines.map((line) => line.replace(/:\d+/, ""))
          assert.strictEqual(first, "Authorization server at http://127.0.0.1")
          assert.strictEqual(second, "Box office serves MCP at http://127.0.0.1/mcp")
          assert.deepStrictEqual(others, [
            "",
            "list_shows        1 Evening bill, 2 Late bill",
            "seat_the_party    Grace: row A, seat 1, guest of Ada; Edsger: row A, seat 2, guest of Ada",
            "second session    2 Late bill",
            "logged out        the login is forgotten"
          ])
          assert.strictEqual(code, 0)
        }),
      timeout
    )
  })
})

describe("whoever is not logged in", () => {
  it.live("AUTH-02 AUTH-21: is told where to, and what for", () =>
    Effect.gen(function* () {
      const { authorization, url } = yield* running()
      const refused = yield* Effect.promise(() => fetch(url, { method: "POST", body: "{}" }))
      assert.strictEqual(refused.status, 401)
      const [challenge] = parseChallenges(refused.headers.get("www-authenticate") ?? "")
      assert.strictEqual(challenge?.parameters.get("scope"), "shows:read")
      const metadata = challenge?.parameters.get("resource_metadata") ?? ""
      assert.deepInclude(yield* Effect.promise(async () => (await fetch(metadata)).json()), {
        resource: url,
        authorization_servers: [authorization.issuer],
        scopes_supported: ["shows:read", "seats:write"]
      })
    })
  )

  it("reads what a stranger registered as text, and no script of theirs", () => {
    const client = `<script>alert("1")</script>`
    const shown = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"
    const pages = [loginPage(client), consentPage({ client, person: client, host: client, scopes: [client] })]
    for (const page of pages) {
      assert.include(page, shown)
      assert.notInclude(page, "<script")
    }
  })

  it.live("gets no token for a resource that the authorization server does not know", () =>
    Effect.gen(function* () {
      const { authorization } = yield* running()
      const headers = { "content-type": "application/json" }
      const body = JSON.stringify({
        redirect_uris: [redirect],
        application_type: "native",
        token_endpoint_auth_method: "none"
      })
      const { client_id: id } = yield* Effect.promise(async () =>
        (await fetch(`${authorization.issuer}/reg`, { method: "POST", headers, body })).json()
      )
      const page = new URL("/auth", authorization.issuer)
      page.search = new URLSearchParams({
        client_id: id,
        redirect_uri: redirect,
        response_type: "code",
        code_challenge: "c".repeat(43),
        code_challenge_method: "S256",
        resource: "https://bank.example/mcp",
        scope: "shows:read"
      }).toString()
      const answer = yield* Effect.promise(() => fetch(page, { redirect: "manual" }))
      const back = new URL(answer.headers.get("location") ?? "")
      assert.strictEqual(`${back.origin}${back.pathname}`, redirect)
      assert.strictEqual(back.searchParams.get("error"), "invalid_target")
    })
  )
})

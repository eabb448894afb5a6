/** What is said of a token while its issuer cannot be reached, or answers with what is no key set, over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { JwtVerifier } from "@treadle/oauth/verify"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { createServer, type RequestListener } from "node:http"
import { claimsOf, judged, makeKey, said, sign, until } from "../fixtures/issuer.ts"

const key = await makeKey("one")

/** An issuer whose key set is what a listener answers. */
const serve = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly issuer: string; readonly stop: () => Promise<void> }>((resolve) => {
          const server = createServer(listener)
          const stop = () =>
            new Promise<void>((stopped) => {
              server.close(() => stopped())
              server.closeAllConnections()
            })
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            resolve({ issuer: `http://127.0.0.1:${port}`, stop })
          })
        })
    ),
    ({ stop }) => Effect.promise(stop)
  )

const tokenOf = (issuer: string) => Effect.promise(() => sign(key, claimsOf(issuer)))

const judgedBy = Effect.fnUntraced(function* (listener: RequestListener) {
  const { issuer } = yield* serve(listener)
  const verifier = JwtVerifier.make({ issuer, jwksUri: `${issuer}/keys` })
  return yield* judged(verifier, yield* tokenOf(issuer))
})

const typed =
  (type: string, text: string): RequestListener =>
  (_, response) =>
    void response.setHeader("content-type", type).end(text)

const manyKeys = JSON.stringify({ keys: Array.from({ length: 101 }, () => key.jwk) })

const answers: Readonly<Record<string, readonly [RequestListener, string]>> = {
  "resets the connection": [(_, response) => void response.destroy(), "gave no answer"],
  fails: [(_, response) => void response.writeHead(500).end("{}"), "HTTP 500"],
  "answers with a page (B050)": [typed("text/html; charset=utf-8", "<html></html>"), "HTML"],
  "answers with a page that says it is JSON": [typed("application/json", "<html></html>"), "no key set"],
  "answers with a list": [typed("application/json", "[]"), "no key set"],
  "answers with nothing": [typed("application/json", ""), "no key set"],
  "leads elsewhere": [
    (_, response) => void response.writeHead(302, { location: "https://evil.example" }).end(),
    "redirects"
  ],
  "has too many keys": [typed("application/json", manyKeys), "more than 100 keys"],
  "does not end": [
    (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
      }
      response.on("drain", more)
      more()
    },
    "longer than 1048576 bytes"
  ],
  "breaks off": [
    (_, response) => {
      response.write('{"keys":[')
      setImmediate(() => response.destroy())
    },
    "gave no answer"
  ]
}

describe("a verifier whose issuer", () => {
  for (const [name, [listener, why]] of Object.entries(answers)) {
    it.effect(`${name} is unavailable`, () =>
      Effect.gen(function* () {
        assert.match(yield* judgedBy(listener), new RegExp(`^VerifierUnavailable: .*/keys.*${why}`))
      })
    )
  }

  it.effect("answers accepts what it signed", () =>
    Effect.gen(function* () {
      const keys = JSON.stringify({ keys: [key.jwk] })
      assert.strictEqual(yield* judgedBy(typed("application/jwk-set+json", keys)), "accepted: ada")
    })
  )

  it.effect("is not there is unavailable", () =>
    Effect.gen(function* () {
      const { issuer, stop } = yield* serve(() => {})
      yield* Effect.promise(stop)
      const told = yield* judged(JwtVerifier.make({ issuer }), yield* tokenOf(issuer))
      assert.match(told, /^VerifierUnavailable: .*ECONNREFUSED/)
    })
  )

  it.effect("hangs is unavailable after 5 seconds, and asked again a second later, over a connection of its own", () =>
    Effect.gen(function* () {
      let open = 0
      let came = 0
      const { issuer } = yield* serve((_, response) => {
        open++
        came++
        response.on("close", () => open--)
        if (came > 1) response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: [key.jwk] }))
      })
      const verify = yield* JwtVerifier.make({ issuer, jwksUri: `${issuer}/keys` }).open
      const token = yield* tokenOf(issuer)
      const waiting = yield* Effect.forkChild(said(verify, token))
      yield* until(() => came === 1)
      yield* TestClock.adjust(4_999)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.match(yield* Fiber.join(waiting), /^VerifierUnavailable: .*no answer within 5000 ms/)
      yield* until(() => open === 0)
      assert.match(yield* said(verify, token), /^VerifierUnavailable: .*no answer within 5000 ms/)
      assert.strictEqual(came, 1)
      yield* TestClock.adjust(1_000)
      assert.strictEqual(yield* said(verify, token), "accepted: ada")
    })
  )

  it.effect("hangs is unavailable at once when the verifier closes, and so is one that is asked after that", () =>
    Effect.gen(function* () {
      let came = 0
      const { issuer } = yield* serve(() => came++)
      const token = yield* tokenOf(issuer)
      const verifier = JwtVerifier.make({ issuer })
      const [waiting, verify] = yield* Effect.scoped(
        Effect.gen(function* () {
          const opened = yield* verifier.open
          const fiber = yield* Effect.forkDetach(said(opened, token))
          yield* until(() => came === 1)
          return [fiber, opened] as const
        })
      )
      assert.strictEqual(yield* Fiber.join(waiting), "VerifierUnavailable: the verifier is closed")
      assert.strictEqual(yield* said(verify, token), "VerifierUnavailable: the verifier is closed")
    })
  )
})

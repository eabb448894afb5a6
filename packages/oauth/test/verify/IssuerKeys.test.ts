/** How the keys of an issuer are found, kept and replaced, and how seldom it is asked for them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { JwtVerifier } from "@treadle/oauth/verify"
import type { Verify } from "@treadle/server"
import { base64url } from "jose"
import {
  claimsOf,
  json,
  judged,
  makeIssuer,
  makeKey,
  said,
  senderTo,
  sign,
  until,
  type SigningKey
} from "../fixtures/issuer.ts"

const [one, two, rsa] = await Promise.all([makeKey("one"), makeKey("two"), makeKey("rsa", "RS256")])
const accepted = "accepted: ada"
const unpublished = "TokenRefused: the token is not signed with a key that its issuer publishes (RFC 9068 section 4)"

/** A token that lasts long, and differs from all others. */
let tokens = 0
const signedBy = (key: SigningKey, issuer: string, kid: string | undefined = key.kid) =>
  Effect.promise(() => sign(key, { ...claimsOf(issuer), jti: `${tokens++}`, exp: 1e6 }, { kid }))

const opened = Effect.fnUntraced(function* (settings: Partial<Parameters<typeof JwtVerifier.make>[0]> = {}) {
  const issuer = makeIssuer()
  issuer.publish(one)
  const verify = yield* JwtVerifier.make({
    issuer: issuer.issuer,
    jwksUri: issuer.jwksUri,
    sender: issuer.sender,
    ...settings
  }).open
  return { issuer, verify }
})

const tell = (verify: Verify, key: SigningKey, issuer: string, kid?: string) =>
  Effect.flatMap(signedBy(key, issuer, kid), (token) => said(verify, token))

describe("the keys of an issuer", () => {
  it.effect("are fetched once for 50 tokens that come at the same time", () =>
    Effect.gen(function* () {
      const { issuer, verify } = yield* opened()
      const several = yield* Effect.forEach(Array.from({ length: 50 }), () => signedBy(one, issuer.issuer))
      const told = yield* Effect.forEach(several, (token) => said(verify, token), { concurrency: "unbounded" })
      assert.deepStrictEqual([...new Set(told)], [accepted])
      assert.deepStrictEqual(issuer.asked, [issuer.jwksUri])
    })
  )

  it.effect("are fetched for all, though the one who came first gives up", () =>
    Effect.gen(function* () {
      const { issuer, verify } = yield* opened()
      let answer: (response: Response) => void = () => {}
      issuer.at.set("/keys", () => new Promise((resolve) => (answer = resolve)))
      const token = yield* signedBy(one, issuer.issuer)
      const first = yield* Effect.forkChild(said(verify, token))
      yield* until(() => issuer.asked.length > 0)
      const second = yield* Effect.forkChild(said(verify, token))
      yield* Fiber.interrupt(first)
      answer(json({ keys: [one.jwk] }))
      assert.strictEqual(yield* Fiber.join(second), accepted)
      assert.strictEqual(issuer.asked.length, 1)
    })
  )

  it.effect("are asked for again at most once because of 1,000 made-up names", () =>
    Effect.gen(function* () {
      const { issuer, verify } = yield* opened()
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
      yield* TestClock.adjust(30_000)
      const [, claims = "", signature = ""] = (yield* signedBy(two, issuer.issuer)).split(".")
      const header = (kid: string) => base64url.encode(JSON.stringify({ alg: "ES256", typ: "at+jwt", kid }))
      const forged = Array.from({ length: 1_000 }, (_, i) => `${header(`x${i}`)}.${claims}.${signature}`)
      const told = yield* Effect.forEach(forged, (token) => said(verify, token), { concurrency: 20 })
      assert.deepStrictEqual([...new Set(told)], [unpublished])
      assert.strictEqual(issuer.asked.length, 2)
    })
  )

  it.effect("are replaced at once where the issuer has new ones, though not within the cooldown", () =>
    Effect.gen(function* () {
      const { issuer, verify } = yield* opened()
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
      issuer.publish(two)
      yield* TestClock.adjust(29_999)
      assert.strictEqual(yield* tell(verify, two, issuer.issuer), unpublished)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* tell(verify, two, issuer.issuer), accepted)
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), unpublished)
    })
  )

  it.effect("are replaced where a new key has the name of the old one, or none", () =>
    Effect.gen(function* () {
      const { issuer, verify } = yield* opened()
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
      issuer.publish({ ...two, jwk: { ...two.jwk, kid: "one" } })
      yield* TestClock.adjust(30_000)
      assert.strictEqual(yield* tell(verify, two, issuer.issuer, "one"), accepted)
      assert.strictEqual(
        yield* tell(verify, one, issuer.issuer),
        "TokenRefused: the signature of the token is wrong (RFC 7515 section 5.2)"
      )
    })
  )

  it.effect("that an issuer withdraws sign no tokens any more once they are asked for again", () =>
    Effect.gen(function* () {
      const { issuer, verify } = yield* opened({ keyTime: 100_000 })
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
      issuer.publish(two)
      yield* TestClock.adjust(99_999)
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), unpublished)
    })
  )

  it.effect("are asked for again after their time, and no earlier or later for a cooldown that is longer", () =>
    Effect.gen(function* () {
      const { issuer, verify } = yield* opened({ keyTime: 10_000, cooldown: 2 * 3_600_000 })
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
      issuer.publish(two)
      yield* TestClock.adjust(9_999)
      assert.strictEqual(yield* tell(verify, two, issuer.issuer), unpublished)
      assert.lengthOf(issuer.asked, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), unpublished)
      assert.lengthOf(issuer.asked, 2)
      yield* TestClock.adjust(3_600_000)
      assert.strictEqual(yield* tell(verify, two, issuer.issuer), accepted)
      assert.lengthOf(issuer.asked, 3)
    })
  )

  it.effect("of before are used for an hour while the issuer does not answer, and it is asked ever more seldom", () =>
    Effect.gen(function* () {
      const { issuer, verify } = yield* opened({ keyTime: 100_000 })
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
      issuer.at.set("/keys", () => json({}, 500))
      yield* TestClock.adjust(100_000)
      for (let second = 0; second < 100; second++) {
        assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
        yield* TestClock.adjust(1_000)
      }
      // After 0, 1, 3, 7, 15, 31, 61 and 91 seconds.
      assert.strictEqual(issuer.asked.length, 1 + 8)
      yield* TestClock.adjust(3_600_000 - 200_000)
      assert.match(yield* tell(verify, one, issuer.issuer), /^VerifierUnavailable: .*HTTP 500/)
      issuer.publish(one)
      yield* TestClock.adjust(30_000)
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
    })
  )

  it.effect(
    "that nobody can fetch leave a token with an unknown name unjudged, and one with a known name refused",
    () =>
      Effect.gen(function* () {
        const { issuer, verify } = yield* opened()
        assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
        issuer.at.set("/keys", () => json({}, 503))
        yield* TestClock.adjust(30_000)
        assert.match(yield* tell(verify, two, issuer.issuer), /^VerifierUnavailable: .*HTTP 503/)
        assert.match(yield* tell(verify, two, issuer.issuer, "one"), /^TokenRefused: the signature/)
        assert.strictEqual(issuer.asked.length, 2)
      })
  )

  it.effect("are at the address that the metadata of the issuer says, found in the right order (AUTH-04)", () =>
    Effect.gen(function* () {
      const issuer = makeIssuer("https://login.example/tenant")
      issuer.publish(one)
      const token = yield* signedBy(one, issuer.issuer)
      const places = [
        "/.well-known/oauth-authorization-server/tenant",
        "/.well-known/openid-configuration/tenant",
        "/tenant/.well-known/openid-configuration"
      ]
      issuer.at.delete(places[0] ?? "")
      for (const [index, place] of places.entries()) {
        issuer.at.set(place, () => json({ issuer: issuer.issuer, jwks_uri: issuer.jwksUri }))
        issuer.asked.length = 0
        const verifier = JwtVerifier.make({ issuer: issuer.issuer, sender: issuer.sender })
        assert.strictEqual(yield* judged(verifier, token), accepted)
        const asked = [...places.slice(0, index + 1), "/keys"].map((path) => `https://login.example${path}`)
        assert.deepStrictEqual(issuer.asked, asked)
        issuer.at.set(place, () => new Response("<html></html>", { headers: { "content-type": "text/html" } }))
      }
    })
  )

  it.effect("are not taken from the metadata of another issuer (AUTH-05)", () =>
    Effect.gen(function* () {
      const issuer = makeIssuer()
      issuer.publish(one)
      const names = ["https://evil.example", "https://login.example/", "https://LOGIN.example", undefined]
      for (const name of names) {
        issuer.at.set("/.well-known/oauth-authorization-server", () => json({ issuer: name, jwks_uri: issuer.jwksUri }))
        const verifier = JwtVerifier.make({ issuer: issuer.issuer, sender: issuer.sender })
        const told = yield* judged(verifier, yield* signedBy(one, issuer.issuer))
        assert.match(told, /^VerifierUnavailable: .*another issuer.*HTTP 404/)
      }
      assert.notInclude(issuer.asked.join(" "), "/keys")
    })
  )

  it.effect("are not fetched from where metadata may not lead (SEC-01)", () =>
    Effect.gen(function* () {
      const addresses = {
        "http://login.example/keys": "not https",
        "https://127.0.0.1/keys": "this machine",
        "https://localhost/keys": "this machine",
        "https://[::ffff:10.0.0.1]/keys": "private network",
        "https://169.254.169.254/keys": "no address of a server",
        "file:///keys": "not https"
      }
      for (const [address, why] of Object.entries(addresses)) {
        const issuer = makeIssuer()
        issuer.at.set("/.well-known/oauth-authorization-server", () =>
          json({ issuer: issuer.issuer, jwks_uri: address })
        )
        const verifier = JwtVerifier.make({ issuer: issuer.issuer, sender: issuer.sender })
        const told = yield* judged(verifier, yield* signedBy(one, issuer.issuer))
        assert.match(told, new RegExp(`^VerifierUnavailable: .*${why}`))
        assert.strictEqual(issuer.asked.length, 1)
      }
    })
  )

  it.effect(
    "are fetched from a private network or from this machine where the issuer is there, or the settings say so",
    () =>
      Effect.gen(function* () {
        const rows = [
          ["https://10.0.0.5", "https://10.0.0.6/keys", "public", true],
          ["https://10.0.0.5", "https://127.0.0.1/keys", "public", false],
          ["http://127.0.0.1:1", "http://localhost:2/keys", "public", true],
          ["http://127.0.0.1:1", "https://10.0.0.6/keys", "public", false],
          ["https://login.example", "https://10.0.0.6/keys", "private", true],
          ["https://login.example", "https://127.0.0.1/keys", "loopback", true],
          ["https://login.example", "https://10.0.0.6/keys", "loopback", false]
        ] as const
        for (const [name, keys, network, isFetched] of rows) {
          const issuer = makeIssuer(name)
          issuer.publish(one)
          issuer.at.set("/.well-known/oauth-authorization-server", () => json({ issuer: name, jwks_uri: keys }))
          const told = yield* judged(
            JwtVerifier.make({ issuer: name, network, sender: issuer.sender }),
            yield* signedBy(one, name)
          )
          if (isFetched) assert.strictEqual(told, accepted)
          else assert.match(told, /^VerifierUnavailable: .*is not called/)
        }
      })
  )

  it.effect("may be given, and then nothing is fetched", () =>
    Effect.gen(function* () {
      const keys = { keys: [one.jwk, rsa.jwk] }
      const verifier = JwtVerifier.make({ issuer: "anybody", keys, sender: senderTo() })
      assert.strictEqual(yield* judged(verifier, yield* signedBy(rsa, "anybody")), accepted)
      assert.strictEqual(yield* judged(verifier, yield* signedBy(two, "anybody")), unpublished)
    })
  )

  it.effect("that are of no use do not hide those that are", () =>
    Effect.gen(function* () {
      const { issuer, verify } = yield* opened()
      const odd = [
        null,
        1,
        "x",
        {},
        { kty: "new" },
        { kty: "EC", crv: "P-256", kid: "one" },
        { ...rsa.jwk, kid: "one" }
      ]
      issuer.at.set("/keys", () => json({ keys: [...odd, one.jwk] }))
      assert.strictEqual(yield* tell(verify, one, issuer.issuer), accepted)
    })
  )
})

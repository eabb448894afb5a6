import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { codeIn, demandPkce } from "../../src/flow/CodeFlow.ts"

const issuer = "https://as.example"
const says = (supported: boolean) => ({
  issuer,
  metadata: supported ? { authorization_response_iss_parameter_supported: true } : {}
})

/** What came back, as an address has it, and what is made of it: the code, or the reason and what is wrong. */
const outcome = (query: string, supported: boolean) =>
  Effect.runSync(
    Effect.match(codeIn(new URLSearchParams(query), "s3cret", says(supported)), {
      onSuccess: (code) => code,
      onFailure: (reason) => `${reason._tag}: ${reason.message}`
    })
  )

describe("what comes back from a login", () => {
  const iss = encodeURIComponent(issuer)
  const wrongIssuer =
    /^Mismatch: the issuer of the authorization response is .* must be "https:\/\/as\.example" \(RFC 9207/
  const wrongState = /^Mismatch: the state of the authorization response is .*\(RFC 6749 section 10\.12\)$/
  const table: ReadonlyArray<readonly [string, string, boolean, RegExp]> = [
    ["AUTH-16 the issuer is promised and right", `code=c&state=s3cret&iss=${iss}`, true, /^c$/],
    ["AUTH-16 the issuer is promised and missing", "code=c&state=s3cret", true, wrongIssuer],
    ["AUTH-16 the issuer is not promised and right", `code=c&state=s3cret&iss=${iss}`, false, /^c$/],
    ["AUTH-16 the issuer is not promised and wrong", "code=c&state=s3cret&iss=https%3A%2F%2Fevil", false, wrongIssuer],
    ["AUTH-16 the issuer is not promised and missing", "code=c&state=s3cret", false, /^c$/],
    ["AUTH-17 the issuer has a slash more", `code=c&state=s3cret&iss=${iss}%2F`, true, wrongIssuer],
    ["AUTH-17 the issuer differs in case", "code=c&state=s3cret&iss=https%3A%2F%2FAS.example", true, wrongIssuer],
    ["AUTH-17 the issuer has its port", "code=c&state=s3cret&iss=https%3A%2F%2Fas.example%3A443", true, wrongIssuer],
    ["the issuer comes twice", `code=c&state=s3cret&iss=${iss}&iss=${iss}`, true, wrongIssuer],
    ["AUTH-18 the state is another", `code=c&state=strange&iss=${iss}`, true, wrongState],
    ["AUTH-18 the state is missing", `code=c&iss=${iss}`, true, wrongState],
    ["AUTH-18 the state comes twice", "code=c&state=s3cret&state=s3cret", false, wrongState],
    [
      "AUTH-17 an error of another issuer is not shown",
      "error=evil_words&state=s3cret&iss=https%3A%2F%2Fevil",
      false,
      wrongIssuer
    ],
    ["an error without the state is not shown", "error=evil_words", false, wrongState],
    [
      "an error is told",
      "error=access_denied&error_description=No+way&state=s3cret",
      false,
      /^Refused: .*access_denied, "No way"$/
    ],
    ["a code beside an error is no code", "code=c&error=access_denied&state=s3cret", false, /^Refused/],
    ["the code is missing", "state=s3cret", false, /^Mismatch: the code/],
    ["the code comes twice", "code=c&code=d&state=s3cret", false, /^Mismatch: the code/],
    ["the code is empty", "code=&state=s3cret", false, /^Mismatch: the code/]
  ]
  for (const [name, query, supported, expected] of table) {
    it(name, () => {
      const told = outcome(query, supported)
      assert.match(told, expected)
      assert.notMatch(told, /evil_words|strange|s3cret/)
    })
  }
})

describe("a code is asked for only with PKCE (AUTH-12, W131)", () => {
  const table: ReadonlyArray<readonly [string, unknown, boolean]> = [
    ["S256 is listed", ["plain", "S256"], true],
    ["nothing is listed", undefined, false],
    ["only plain is listed", ["plain"], false],
    ["the list is a text", "S256", false]
  ]
  for (const [name, methods, expected] of table) {
    it(name, () => {
      const metadata = methods === undefined ? {} : { code_challenge_methods_supported: methods as string }
      const exit = Effect.runSyncExit(demandPkce({ issuer, metadata }))
      assert.strictEqual(exit._tag, expected ? "Success" : "Failure")
    })
  }
})

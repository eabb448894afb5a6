/**
 * The search of the suite's recordings for secrets, which `npm run conformance` makes of every scenario.
 */
import { assert, describe, it } from "@effect/vitest"
import { leaksIn, type Recorded } from "../../conformance/suite/secrets.mjs"

const tokenRequest: Recorded = {
  id: "incoming-auth-request",
  description: "Received POST request for /token",
  details: { body: { grant_type: "authorization_code", code: "the-code-1", code_verifier: "the-verifier" } }
}
const tokenAnswer: Recorded = {
  id: "outgoing-auth-response",
  description: "Sent 200 response for POST /token",
  details: { body: { access_token: "the-access-token", refresh_token: "the-refresh-token" } }
}
const call = (body: unknown): Recorded => ({
  id: "incoming-request",
  description: "Received POST request for /mcp",
  details: { path: "/mcp", body }
})
const key = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqG\nEAMBMGByqGSM49Ag\n-----END PRIVATE KEY-----"

describe("secrets in the recordings of the suite", () => {
  it("belong into token requests and their answers", () => {
    assert.deepStrictEqual(leaksIn([tokenRequest, tokenAnswer, call({ method: "tools/list" })], {}, {}), [])
  })

  for (const secret of ["the-code-1", "the-verifier", "the-access-token", "the-refresh-token"]) {
    it(`are found in another request: ${secret}`, () => {
      const leaks = leaksIn([tokenRequest, tokenAnswer, call({ params: { note: `with ${secret}` } })], {}, {})
      assert.deepStrictEqual(leaks, ["a secret of the scenario is in Received POST request for /mcp"])
    })
  }

  it("do not belong into a token request to the MCP server", () => {
    const { description, details } = tokenRequest
    const leaks = leaksIn([{ id: "incoming-request", description, details }], {}, {})
    assert.lengthOf(leaks, 2)
  })

  it("are found in what a client prints, line by line of a key", () => {
    const printed = { "its errors": "Error: EAMBMGByqGSM49Ag", "its output": "fine" }
    assert.deepStrictEqual(leaksIn([], { private_key_pem: key }, printed), [
      "a secret of the scenario is in its errors"
    ])
  })

  it("are taken from the address that a login comes back to", () => {
    const redirect: Recorded = {
      id: "outgoing-auth-response",
      description: "Sent 302",
      details: { headers: { location: "http://localhost:3000/callback?code=returned-code&state=s" } }
    }
    assert.lengthOf(leaksIn([redirect], {}, { "its output": "returned-code" }), 1)
  })
})

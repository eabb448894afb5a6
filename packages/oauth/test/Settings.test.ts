/** Settings of a provider that cannot be, as plain JavaScript may give them. */
import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { makeMemoryStore, OAuth } from "@treadle/oauth"

const secret = "hunter-2"
const issuer = "https://login.example"
const job = { clientId: "job", clientSecret: secret, issuer }

const wrong: ReadonlyArray<readonly [keyof typeof OAuth, unknown, string]> = [
  ["browser", undefined, "what OAuth.browser is given must be an object"],
  ["browser", {}, "clientName is missing"],
  ["browser", { clientName: "Desk", browser: async () => secret }, "browser must have visit"],
  [
    "browser",
    { clientName: "Desk", store: new Map([["a", secret]]) },
    "store must have read, write, remove and exclusive"
  ],
  ["browser", { clientName: "Desk", timeout: "30s" }, "timeout must be a finite number of milliseconds"],
  ["browser", { clientName: "Desk", scope: ["a"] }, "scope: there is no such setting; write scopes"],
  ["clientCredentials", { clientSecret: secret, issuer }, "clientId is missing"],
  ["clientCredentials", { clientId: "job", clientSecret: secret }, "issuer is missing, and without it clientSecret"],
  ["browser", { clientName: "Desk", ...job, issuer: "" }, "issuer is missing, and without it clientSecret"],
  ["workload", { ...job, issuer: undefined, clientSecret: Redacted.make(secret) }, "issuer is missing"],
  ["workload", { clientId: "job", assert: () => secret }, "assert: there is no such setting; write assertion"],
  ["clientCredentials", { clientId: "job" }, "clientSecret or privateKey is missing"],
  ["clientCredentials", { clientId: "job", clientSecret: undefined }, "clientSecret or privateKey is missing"],
  ["clientCredentials", { clientId: "job", clientSecret: Redacted.make("") }, "clientSecret or privateKey is missing"],
  ["clientCredentials", { ...job, scopes: "a b" }, "scopes must be an array of texts"],
  ["clientCredentials", { ...job, network: "all" }, 'network must be "public" or "loopback" or "private"'],
  ["clientCredentials", { ...job, dpop: "yes" }, "dpop must be true or false"],
  ["clientCredentials", { ...job, sender: {} }, "sender must be a function"],
  ["enterprise", { ...job, idToken: async () => secret }, "identityProvider must be an object"],
  ["enterprise", { ...job, identityProvider: {} }, "idToken must be a function"],
  [
    "enterprise",
    { ...job, idToken: async () => secret, identityProvider: { clientID: "desk" } },
    "identityProvider.clientID: there is no such setting; write clientId"
  ],
  ["workload", { ...job, assertion: secret }, "assertion must be a function"]
]

describe("settings of a provider that cannot be", () => {
  for (const [kind, settings, why] of wrong) {
    it(`are told when it is made: ${kind}: ${why}`, () => {
      try {
        // @ts-expect-error they are wrong by their types too
        OAuth[kind](settings)
        assert.fail("it must not be made")
      } catch (error) {
        assert.instanceOf(error, TypeError)
        assert.include(error.message, why)
        assert.notInclude(error.message, secret)
      }
    })
  }

  it("are taken where they can work", () => {
    OAuth.browser({ clientName: "Desk", store: makeMemoryStore(), scopes: [], timeout: 1 })
    OAuth.clientCredentials({ clientId: "job", privateKey: Redacted.make("a key"), dpop: true, network: "loopback" })
    OAuth.workload({ clientId: "job", assertion: () => secret })
  })
})

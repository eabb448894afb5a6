import { assert, describe, it } from "@effect/vitest"
import { resourceAddresses } from "../../src/flow/Discovery.ts"
import { serverAddresses } from "../../src/WellKnown.ts"

const none = { challenged: undefined, metadata: undefined, issuer: undefined }

describe("where documents are looked for", () => {
  it("AUTH-03: that of a resource where the challenge says, below the path, and at the root", () => {
    const server = new URL("https://host/a/mcp")
    const root = "https://host/.well-known/oauth-protected-resource"
    const known = [`${root}/a/mcp`, root]
    assert.deepStrictEqual(resourceAddresses(server, none), known)
    assert.deepStrictEqual(resourceAddresses(server, { ...none, challenged: "https://host/where" }), [
      "https://host/where",
      ...known
    ])
    assert.deepStrictEqual(resourceAddresses(server, { ...none, challenged: "nonsense" }), known)
    assert.deepStrictEqual(resourceAddresses(server, { ...none, challenged: root }), [root, `${root}/a/mcp`])
  })

  it("AUTH-03: at the root only once, for a server without a path", () => {
    assert.deepStrictEqual(resourceAddresses(new URL("https://host/"), none), [
      "https://host/.well-known/oauth-protected-resource"
    ])
  })

  it("W126: at the address that the developer gives, and at no other", () => {
    const hints = { ...none, challenged: "https://evil/where", metadata: "https://host/mine" }
    assert.deepStrictEqual(resourceAddresses(new URL("https://host/mcp"), hints), ["https://host/mine"])
  })

  it("AUTH-04: that of an authorization server with a path in three forms, without one in two", () => {
    assert.deepStrictEqual(serverAddresses(new URL("https://as:8443/tenant/1")), [
      "https://as:8443/.well-known/oauth-authorization-server/tenant/1",
      "https://as:8443/.well-known/openid-configuration/tenant/1",
      "https://as:8443/tenant/1/.well-known/openid-configuration"
    ])
    const rooted = ["https://as/.well-known/oauth-authorization-server", "https://as/.well-known/openid-configuration"]
    assert.deepStrictEqual(serverAddresses(new URL("https://as")), rooted)
    assert.deepStrictEqual(serverAddresses(new URL("https://as/")), rooted)
  })
})

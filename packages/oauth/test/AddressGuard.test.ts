import { assert, describe, it } from "@effect/vitest"
import { addressKind, isLoopbackHost, refusedAddress, refusedIp, type AddressKind } from "../src/AddressGuard.ts"

const nothing = { loopback: false, privateNetworks: false }

const kinds: ReadonlyArray<readonly [ip: string, kind: AddressKind | undefined]> = [
  ["8.8.8.8", "public"],
  ["2606:4700::1111", "public"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["::1", "loopback"],
  ["[::1]", "loopback"],
  ["10.0.0.1", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["172.32.0.1", "public"],
  ["192.168.1.1", "private"],
  ["100.64.0.1", "private"],
  ["192.0.0.8", "private"],
  ["192.0.2.1", "private"],
  ["198.18.0.1", "private"],
  ["198.51.100.1", "private"],
  ["203.0.113.1", "private"],
  ["240.0.0.1", "private"],
  ["0.0.0.0", "unusable"],
  ["0.1.2.3", "unusable"],
  ["169.254.169.254", "unusable"],
  ["224.0.0.1", "unusable"],
  ["255.255.255.255", "unusable"],
  ["::", "unusable"],
  ["[::]", "unusable"],
  ["fe80::1", "unusable"],
  ["fe80::1%eth0", "unusable"],
  ["ff02::1", "unusable"],
  ["fc00::1", "private"],
  ["fd12:3456::1", "private"],
  ["fec0::1", "private"],
  ["100::1", "private"],
  ["2001:db8::1", "private"],
  ["3fff::1", "private"],
  ["2001::1", "private"],
  ["2002:7f00:1::", "private"],
  ["2002:808:808::", "private"],
  ["5f00::1", "private"],
  ["4000::1", "private"],
  ["100:0:0:1::1", "private"],
  // mapped
  ["::ffff:127.0.0.1", "loopback"],
  ["[::ffff:7f00:1]", "loopback"],
  ["::ffff:10.0.0.1", "private"],
  ["::ffff:169.254.169.254", "unusable"],
  ["::ffff:0.0.0.0", "unusable"],
  ["::ffff:8.8.8.8", "public"],
  // compatible, and translated with SIIT
  ["::7f00:1", "unusable"],
  ["::a00:1", "unusable"],
  ["::ffff:0:7f00:1", "private"],
  // translated with NAT64
  ["64:ff9b::8.8.8.8", "public"],
  ["64:ff9b::a00:1", "private"],
  ["64:ff9b::a9fe:a9fe", "unusable"],
  ["64:ff9b::7f00:1", "unusable"],
  ["64:ff9b:1::808:808", "private"],
  // no IP
  ["example.com", undefined],
  ["localhost", undefined],
  ["", undefined],
  ["[", undefined]
]

describe("the kind of an address", () => {
  it.each(kinds)("SEC-01: of %s is %s", (ip, kind) => {
    assert.strictEqual(addressKind(ip), kind)
  })

  it("SEC-01: decides what may be dialled, and an unusable one is never", () => {
    const allowed = (ip: string, policy: { loopback: boolean; privateNetworks: boolean }) =>
      refusedIp(ip, policy) === undefined
    const all = { loopback: true, privateNetworks: true }
    assert.deepStrictEqual(
      ["8.8.8.8", "127.0.0.1", "10.0.0.1", "169.254.169.254"].map((ip) => [
        allowed(ip, nothing),
        allowed(ip, { loopback: true, privateNetworks: false }),
        allowed(ip, { loopback: false, privateNetworks: true }),
        allowed(ip, all)
      ]),
      [
        [true, true, true, true],
        [false, true, false, true],
        [false, false, true, true],
        [false, false, false, false]
      ]
    )
  })
})

describe("a loopback name", () => {
  it.each([
    ["localhost", true],
    ["LOCALHOST.", true],
    ["as.localhost", true],
    ["127.1.2.3", true],
    ["[::1]", true],
    ["localhost.evil", false],
    ["notlocalhost", false],
    ["127.0.0.1.evil", false]
  ])("%s: %s", (host, is) => {
    assert.strictEqual(isLoopbackHost(host), is)
  })
})

describe("the text of an address", () => {
  const why = (url: string, policy = nothing) => refusedAddress(new URL(url), "the token endpoint", policy)?.why
  const loopback = 'is this machine; say network: "loopback" to allow it'
  const network = 'is in a private network; say network: "private" to allow it'

  it.each([
    ["https://as.example/token", undefined],
    ["https://[2606:4700::1]/", undefined],
    ["http://as.example/token", "it is not https"],
    ["ftp://as.example/token", "it is not https"],
    ["javascript:alert(1)", "it is not https"],
    ["data:text/html,hi", "it is not https"],
    ["file:///etc/passwd", "it is not https"],
    ["https://user:pass@as.example/", "it holds a name or a password"],
    ["https://localhost/", `localhost ${loopback}`],
    ["https://localhost./", `localhost. ${loopback}`],
    ["http://as.localhost/", `as.localhost ${loopback}`],
    ["http://127.0.0.1:8080/", `127.0.0.1 ${loopback}`],
    ["https://2130706433/", `127.0.0.1 ${loopback}`],
    ["https://0x7f.1/", `127.0.0.1 ${loopback}`],
    ["https://0177.0.0.1/", `127.0.0.1 ${loopback}`],
    ["https://127.0.0.1./", `127.0.0.1 ${loopback}`],
    ["https://１２７.0.0.1/", `127.0.0.1 ${loopback}`],
    ["https://[::ffff:127.0.0.1]/", `[::ffff:7f00:1] ${loopback}`],
    ["https://[::127.0.0.1]/", "[::7f00:1] is no address of a server"],
    ["https://0.0.0.0/", "0.0.0.0 is no address of a server"],
    ["https://169.254.169.254/latest", "169.254.169.254 is no address of a server"],
    ["https://10.0.0.1/", `10.0.0.1 ${network}`],
    ["https://167772161/", `10.0.0.1 ${network}`],
    ["https://[fd00::1]/", `[fd00::1] ${network}`],
    ["https://[64:ff9b::10.0.0.1]/", `[64:ff9b::a00:1] ${network}`]
  ])("SEC-01 AUTH-31: %s is refused: %s", (url, reason) => {
    assert.strictEqual(why(url), reason)
  })

  it("AUTH-31: may be plain http on this machine where that is allowed, and nowhere else", () => {
    const allowed = { loopback: true, privateNetworks: true }
    assert.isUndefined(why("http://127.0.0.1:8080/", allowed))
    assert.isUndefined(why("http://[::1]/", allowed))
    assert.isUndefined(why("http://as.localhost/", allowed))
    assert.isUndefined(why("https://10.0.0.1/", allowed))
    assert.strictEqual(why("http://10.0.0.1/", allowed), "it is not https")
    assert.strictEqual(why("https://0.0.0.0/", allowed), "0.0.0.0 is no address of a server")
  })

  it("W159: is named in the error without credentials and query", () => {
    const refused = refusedAddress(
      new URL("http://me:pass@as.example/token?code=abc#frag"),
      "the token endpoint",
      nothing
    )
    assert.strictEqual(
      refused?.message,
      "the token endpoint, http://as.example/token, is not called: it holds a name or a password (MCP security best " +
        "practices, server-side request forgery)"
    )
  })
})

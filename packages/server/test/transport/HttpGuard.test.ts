/**
 * Which Host values a door serves: the names it was given, and those of this machine where nobody else can reach it.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeGuard } from "../../src/transport/HttpGuard.ts"

const served = (host: string, loopback: boolean | undefined, hosts?: ReadonlyArray<string>): boolean => {
  const guard = makeGuard(hosts === undefined ? {} : { hosts })
  const header = (name: string) => (name === "host" ? host : undefined)
  return guard.request({ method: "POST", header, loopback }) === undefined
}

describe("the Host header", () => {
  it("D13 B071: of a given name is served with and without its port, on any socket", () => {
    for (const loopback of [true, false, undefined]) {
      assert.isTrue(served("box.example", loopback, ["box.example"]))
      assert.isTrue(served("box.example:8080", loopback, ["box.example"]))
      assert.isFalse(served("other.example", loopback, ["box.example"]))
    }
  })

  it("D13: of a loopback name is served beside the given ones, so that a door can be tried on its own machine", () => {
    assert.isTrue(served("localhost:3000", true, ["box.example"]))
    assert.isTrue(served("127.0.0.1", undefined, ["box.example"]))
  })

  it("D13: of a loopback name is refused on a socket that is not bound to loopback", () => {
    assert.isFalse(served("localhost:3000", false))
    assert.isFalse(served("localhost:3000", false, ["box.example"]))
  })
})

describe("the media types", () => {
  const media = (headers: Readonly<Record<string, string>>) => makeGuard({}).media((name) => headers[name])

  it("HTTP-23: of a body in another encoding are refused with a sentence", () => {
    const refused = media({ "content-type": "application/json", "content-encoding": "gzip" })
    assert("rung" in refused)
    assert.strictEqual(refused.rung, "content-type")
    assert.include(refused.error.message, "Content-Encoding gzip is not decoded here")
    assert.notProperty(media({ "content-type": "application/json", "content-encoding": "identity" }), "rung")
  })
})

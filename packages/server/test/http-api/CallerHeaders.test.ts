/**
 * Which headers of a caller go with an operation.
 */
import { assert, describe, it } from "@effect/vitest"
import { callerHeaders } from "../../src/http-api/CallerHeaders.ts"

describe("the headers of a caller", () => {
  it("go along, without those of its connection (RFC 9110, section 7.6.1), its message and the protocol", () => {
    const kept = { authorization: "Bearer x", cookie: "a=1", host: "box.example", origin: "https://app.example" }
    const left = {
      ":authority": "box.example",
      accept: "text/event-stream",
      "accept-encoding": "gzip",
      connection: "close, X-Hop",
      "content-length": "9",
      "content-type": "application/json",
      "keep-alive": "timeout=5",
      "last-event-id": "1",
      "mcp-method": "tools/call",
      "mcp-param-x": "1",
      "mcp-session-id": "s",
      "proxy-authorization": "Basic x",
      te: "trailers",
      "transfer-encoding": "chunked",
      upgrade: "h2c",
      "x-hop": "1"
    }
    assert.deepStrictEqual(callerHeaders({ ...left, ...kept }), kept)
    assert.deepStrictEqual(callerHeaders({}), {})
  })
})

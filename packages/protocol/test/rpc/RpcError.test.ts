import { assert, describe, it } from "@effect/vitest"
import { errorName, isRequestId, requestKey, RequestId, RpcError } from "@treadle/protocol/rpc"
import { hostileJson, inverts, json, requestId, rpcError } from "@treadle/testing"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

describe("RpcError", () => {
  it.prop("what is built is read back as it was", [rpcError], ([error]) => inverts(RpcError)(error))

  it.prop("any JSON is an error or a sentence that says why not", [hostileJson], ([value]) => {
    const decoded = RpcError.decode(value)
    if (Result.isFailure(decoded)) assert.match(decoded.failure, /^"error\.(code|message)" must be /)
    else assert.deepInclude(value, RpcError.encode(decoded.success))
  })

  it.prop(
    "any code and data is read and written unchanged",
    [Schema.Int, Schema.String, json],
    ([code, message, data]) => {
      const read = Result.getOrThrow(RpcError.decode({ code, message, data }))
      assert.deepStrictEqual(RpcError.encode(read), { code, message, data })
    }
  )

  it.each([
    [-32700, "ParseError"],
    [-32600, "InvalidRequest"],
    [-32601, "MethodNotFound"],
    [-32602, "InvalidParams"],
    [-32603, "InternalError"],
    [-32002, "ResourceNotFound"],
    [-32020, "HeaderMismatch"],
    [-32000, "Other"],
    [-32099, "Other"],
    [42, "Other"]
  ])("ERR-01 ERR-07 ERR-11 code %d is read as %s", (code, tag) => {
    assert.strictEqual(Result.getOrThrow(RpcError.decode({ code, message: "m" }))._tag, tag)
  })

  it.each([
    ["ERR-08 missing capability", -32021, { requiredCapabilities: { sampling: {} } }, "MissingClientCapability"],
    ["ERR-08 a list of capabilities", -32021, { requiredCapabilities: ["sampling"] }, "Other"],
    ["ERR-08 no data", -32021, undefined, "Other"],
    ["ERR-09 unsupported version", -32022, { supported: ["2026-07-28"], requested: "x" }, "UnsupportedVersion"],
    ["ERR-09 versions that are no strings", -32022, { supported: [1], requested: "x" }, "Other"],
    ["ERR-09 no requested version", -32022, { supported: [] }, "Other"],
    ["ERR-15 pages to visit", -32042, { elicitations: [{ mode: "url" }] }, "UrlElicitationRequired"],
    ["ERR-15 no pages", -32042, undefined, "Other"]
  ])("%s reads by its data, and stays readable where that is wrong", (_, code, data, tag) => {
    const read = Result.getOrThrow(RpcError.decode({ code, message: "m", data }))
    assert.deepStrictEqual([read._tag, read.data], [tag, data])
  })

  it("ERR-09 the answer to a version that is not served names the ones that are", () => {
    assert.deepStrictEqual(RpcError.encode(RpcError.unsupportedVersion("1999-01-01", ["2026-07-28", "2025-11-25"])), {
      code: -32022,
      message: 'Protocol version "1999-01-01" is not served; use one of 2026-07-28, 2025-11-25',
      data: { supported: ["2026-07-28", "2025-11-25"], requested: "1999-01-01" }
    })
  })

  it("a number that MCP does not name has no name", () => {
    assert.isUndefined(errorName(-32000))
    assert.strictEqual(errorName(-32022), "UnsupportedVersion")
  })
})

describe("RequestId", () => {
  it.prop("the schema and the predicate agree on any JSON", [hostileJson], ([value]) => {
    assert.strictEqual(isRequestId(value), Schema.is(RequestId)(value))
  })

  it.prop("BASE-07 two ids have one key only where they are the same id", [requestId, requestId], ([left, right]) => {
    assert.strictEqual(requestKey(left) === requestKey(right), left === right)
  })

  it('BASE-07 1 and "1" are two ids', () => {
    assert.notStrictEqual(requestKey(1), requestKey("1"))
  })
})

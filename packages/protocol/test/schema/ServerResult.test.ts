import { assert, describe, it } from "@effect/vitest"
import { wireDecoder } from "@treadle/protocol/json"
import { methodNames } from "@treadle/protocol/rpc"
import { ClientRequest, InputRequiredResult, ServerResult, type ClientMethod } from "@treadle/protocol/schema"
import { hostileJson, keepsAll } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const methods = methodNames.filter(ClientRequest.isKnown)
const method = Arbitrary.schema(Schema.Literals(methods))

const complete: { readonly [M in ClientMethod]: { readonly [key: string]: unknown } } = {
  "server/discover": { supportedVersions: ["2026-07-28"], capabilities: {} },
  initialize: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } },
  ping: {},
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "resources/read": { contents: [] },
  "resources/subscribe": {},
  "resources/unsubscribe": {},
  "prompts/list": { prompts: [] },
  "prompts/get": { messages: [] },
  "completion/complete": { completion: { values: [] } },
  "logging/setLevel": {},
  "subscriptions/listen": {},
  "tools/list": { tools: [] },
  "tools/call": { content: [] },
  "tasks/get": { taskId: "t", status: "working", createdAt: "", lastUpdatedAt: "", ttlMs: null },
  "tasks/update": {},
  "tasks/cancel": {}
}

describe("ServerResult", () => {
  it.prop("any JSON is a result that is kept whole, or names its problems", [method, hostileJson], ([one, value]) => {
    const decode = (json: unknown) => ServerResult.decode(one, json)
    keepsAll(decode)(value)
    const decoded = decode(value)
    if (Result.isFailure(decoded)) assert.isAbove(decoded.failure.problems.length, 0)
  })

  it.each(methods)("BASE-09 a result of %s without resultType is complete", (one) => {
    assert.deepStrictEqual<unknown>(ServerResult.decode(one, complete[one]), Result.succeed(complete[one]))
    const said = { resultType: "complete", ...complete[one] }
    assert.deepStrictEqual<unknown>(ServerResult.decode(one, said), Result.succeed(said))
  })

  it.each(methods)("BASE-10 a result of %s with a resultType that is not understood is invalid", (one) => {
    assert.deepStrictEqual<unknown>(
      ServerResult.decode(one, { resultType: "later", ...complete[one] }),
      Result.fail({ problems: ['resultType "later" is not one this client understands'] })
    )
    assert.isTrue(Result.isFailure(ServerResult.decode(one, { resultType: null, ...complete[one] })))
  })

  it.each(["tools/call", "prompts/get", "resources/read"] as const)("MRTR-01 MRTR-02 %s may ask first", (one) => {
    const state = { resultType: "input_required", requestState: "s" }
    assert.deepStrictEqual<unknown>(
      ServerResult.decodeRound(one, state),
      Result.succeed({ _tag: "InputRequired", result: state })
    )
    assert.deepStrictEqual<unknown>(
      ServerResult.decodeRound(one, complete[one]),
      Result.succeed({ _tag: "Complete", result: complete[one] })
    )
    assert.isTrue(Result.isFailure(ServerResult.decode(one, state)))
  })

  it.each(methods.filter((one) => !["tools/call", "prompts/get", "resources/read"].includes(one)))(
    "MRTR-02 B090 %s may not ask",
    (one) => {
      assert.deepStrictEqual<unknown>(
        ServerResult.decodeRound(one, { resultType: "input_required", requestState: "s" }),
        Result.fail({ problems: [`resultType "input_required" is no answer to ${one}`] })
      )
    }
  )

  it.each([
    ["MRTR-03 neither questions nor state", {}, "an input_required result must have"],
    ["MRTR-04 a question of another method", { inputRequests: { k: { method: "ping" } } }, "inputRequests.k: "],
    ["MRTR-13 a state that is not text", { requestState: {} }, "requestState"]
  ])("%s is invalid, and the member is named", (_, more, path) => {
    const decoded = ServerResult.decodeRound("tools/call", { resultType: "input_required", ...more })
    assert.isTrue(Result.isFailure(decoded) && decoded.failure.problems.some((problem) => problem.startsWith(path)))
  })

  it("MRTR-03 a result asks with questions, with a state, or with both", () => {
    const decode = wireDecoder(InputRequiredResult)
    const asks = (more: object) => Result.isSuccess(decode({ resultType: "input_required", ...more }))
    const inputRequests = { roots: { method: "roots/list" } }
    assert.isTrue([{ inputRequests }, { requestState: "" }, { inputRequests, requestState: "s" }].every(asks))
    assert.isFalse(asks({}))
  })

  it("BASE-10 B090 a round with a resultType that is not understood is invalid", () => {
    assert.deepStrictEqual<unknown>(
      ServerResult.decodeRound("tools/call", { resultType: "later", content: [] }),
      Result.fail({ problems: ['resultType "later" is not one this client understands'] })
    )
  })

  const task = { ...complete["tasks/get"], resultType: "task" }

  it("TASK-04 TASK-05 a call may become a task", () => {
    assert.deepStrictEqual<unknown>(
      ServerResult.decodeRound("tools/call", task),
      Result.succeed({ _tag: "Task", result: task })
    )
    assert.isTrue(Result.isFailure(ServerResult.decode("tools/call", task)))
    assert.isTrue(Result.isFailure(ServerResult.decodeRound("tools/call", { ...task, ttlMs: "soon" })))
  })

  it.each(methods.filter((one) => one !== "tools/call"))("TASK-04 %s may not become a task", (one) => {
    assert.deepStrictEqual<unknown>(
      ServerResult.decodeRound(one, task),
      Result.fail({ problems: [`resultType "task" is no answer to ${one}`] })
    )
  })

  it("COMP-02 CACHE-04 more than was asked for is read all the same", () => {
    const values = Array.from({ length: 101 }, (_, index) => String(index))
    assert.isTrue(Result.isSuccess(ServerResult.decode("completion/complete", { completion: { values } })))
    assert.isTrue(Result.isSuccess(ServerResult.decode("resources/read", { contents: [], ttlMs: -1 })))
  })
})

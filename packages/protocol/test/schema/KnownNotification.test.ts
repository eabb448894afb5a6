import { assert, describe, it } from "@effect/vitest"
import { Message, methodNames, methodRow } from "@treadle/protocol/rpc"
import { KnownNotification } from "@treadle/protocol/schema"
import { anyText, hostileJson } from "@treadle/testing"
import * as Result from "effect/Result"

describe("KnownNotification", () => {
  it.prop("any notification is typed, unknown, or names its problems", [anyText, hostileJson], ([name, params]) => {
    const known = methodNames.filter((method) => methodRow(method)?.kind === "notification")
    for (const one of [name, ...known]) {
      const decoded = KnownNotification.decode(Message.notification(one, params as never))
      if (decoded === undefined) assert.notInclude<string>(known, one)
      else if (Result.isFailure(decoded)) assert.isAbove(decoded.failure.problems.length, 0)
      else assert.deepStrictEqual<unknown>(KnownNotification.toMessage(decoded.success).params, params ?? {})
    }
  })

  it.each([
    ["CANCEL-02", "notifications/cancelled", { requestId: "7", reason: "r" }],
    ["CANCEL-04", "notifications/cancelled", { requestId: 7 }],
    ["PROG-01", "notifications/progress", { progressToken: 0, progress: 0.5, total: 1, message: "half" }],
    ["LOG-04", "notifications/message", { level: "emergency", data: null }],
    ["BASE-23", "notifications/tools/list_changed", {}],
    ["BASE-23", "notifications/prompts/list_changed", {}],
    ["BASE-23", "notifications/resources/list_changed", {}],
    ["INIT-06", "notifications/initialized", {}],
    ["CSUB-02", "notifications/roots/list_changed", {}],
    [
      "SUB-12",
      "notifications/resources/updated",
      { uri: "file:///a/b", _meta: { "io.modelcontextprotocol/subscriptionId": 0 } }
    ],
    [
      "SUB-03",
      "notifications/subscriptions/acknowledged",
      { notifications: { taskIds: ["t"], toolsListChanged: true } }
    ],
    ["ELIC-19", "notifications/elicitation/complete", { elicitationId: "e" }],
    [
      "TASK-15",
      "notifications/tasks",
      { taskId: "t", status: "completed", createdAt: "c", lastUpdatedAt: "u", ttlMs: 1, result: { content: [] } }
    ]
  ])("%s %s inverts", (_, name, params) => {
    const message = Message.notification(name, params)
    const decoded = KnownNotification.decode(message)
    assert.isDefined(decoded)
    assert.deepStrictEqual(Result.map(decoded, KnownNotification.toMessage), Result.succeed(message))
  })

  it.each([
    ["CANCEL-02 a cancellation of no request", "notifications/cancelled", { reason: "r" }, "requestId: is missing"],
    [
      "PROG-01 progress that is text",
      "notifications/progress",
      { progressToken: 1, progress: "1" },
      "progress: Expected number"
    ],
    ["CSUB-01 an update of nothing", "notifications/resources/updated", {}, "uri: is missing"],
    ["ELIC-19 the end of nothing", "notifications/elicitation/complete", {}, "elicitationId: is missing"],
    ["TASK-15 a task without an end", "notifications/tasks", { status: "completed" }, "taskId: is missing"],
    ["LOG-04 a level that is none", "notifications/message", { level: "loud", data: 1 }, 'level: Expected "debug"']
  ])("%s names the member", (_, name, params, problem) => {
    const decoded = KnownNotification.decode(Message.notification(name, params))
    assert.isTrue(
      decoded !== undefined && Result.isFailure(decoded) && decoded.failure.problems[0]?.startsWith(problem)
    )
  })
})

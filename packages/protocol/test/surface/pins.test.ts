/**
 * What others can observe of this package, as literals: a change here is a change of the wire or of the public surface.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  eraOf,
  commonVersion,
  isProtocolVersion,
  latestNative,
  nativeVersions,
  protocolVersions
} from "@treadle/protocol/era"
import { hintAnnotations } from "@treadle/protocol/endpoint"
import { HeaderName } from "@treadle/protocol/http"
import { maxSchemaDepth } from "@treadle/protocol/json"
import { ErrorCode, methodNames, methodRow } from "@treadle/protocol/rpc"
import { logLevels, MetaKey, tasksExtension, ToolName } from "@treadle/protocol/schema"

describe("Pins of the wire", () => {
  it("ERR-01 ERR-07 ERR-08 ERR-09 ERR-10 error codes", () => {
    assert.deepStrictEqual(ErrorCode, {
      ParseError: -32700,
      InvalidRequest: -32600,
      MethodNotFound: -32601,
      InvalidParams: -32602,
      InternalError: -32603,
      ResourceNotFound: -32002,
      HeaderMismatch: -32020,
      MissingClientCapability: -32021,
      UnsupportedVersion: -32022,
      UrlElicitationRequired: -32042
    })
  })

  it("HDR-01 HDR-03 HDR-04 XHDR-01 header names, in lower case", () => {
    assert.deepStrictEqual(HeaderName, {
      version: "mcp-protocol-version",
      method: "mcp-method",
      name: "mcp-name",
      session: "mcp-session-id",
      lastEventId: "last-event-id",
      param: "mcp-param-"
    })
  })

  it("META-01 META-03 META-05 META-09 META-10 META-14 reserved _meta keys", () => {
    assert.deepStrictEqual(MetaKey, {
      protocolVersion: "io.modelcontextprotocol/protocolVersion",
      clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
      clientInfo: "io.modelcontextprotocol/clientInfo",
      serverInfo: "io.modelcontextprotocol/serverInfo",
      logLevel: "io.modelcontextprotocol/logLevel",
      subscriptionId: "io.modelcontextprotocol/subscriptionId",
      progressToken: "progressToken",
      traceparent: "traceparent",
      tracestate: "tracestate",
      baggage: "baggage"
    })
  })

  it("VER revisions, oldest first, and the one to prefer", () => {
    assert.deepStrictEqual(protocolVersions, ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
    assert.deepStrictEqual([latestNative, nativeVersions], ["2026-07-28", ["2026-07-28"]])
  })

  it("LOG-04 log levels, from the most talkative to the most urgent", () => {
    assert.deepStrictEqual(logLevels, ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"])
  })

  it("TASK-01 the id of the extension", () => {
    assert.strictEqual(tasksExtension, "io.modelcontextprotocol/tasks")
  })

  it("TOOL-05 SCHEMA-08 lengths and depths", () => {
    assert.deepStrictEqual([ToolName.maxLength, maxSchemaDepth], [128, 64])
  })
})

/** method, kind, sender, eras, and the member that Mcp-Name repeats. */
const methods = [
  ["server/discover", "request", "client", "native"],
  ["initialize", "request", "client", "compat"],
  ["ping", "request", "both", "compat"],
  ["tools/list", "request", "client", "both"],
  ["tools/call", "request", "client", "both", "name"],
  ["resources/list", "request", "client", "both"],
  ["resources/templates/list", "request", "client", "both"],
  ["resources/read", "request", "client", "both", "uri"],
  ["resources/subscribe", "request", "client", "compat"],
  ["resources/unsubscribe", "request", "client", "compat"],
  ["prompts/list", "request", "client", "both"],
  ["prompts/get", "request", "client", "both", "name"],
  ["completion/complete", "request", "client", "both"],
  ["logging/setLevel", "request", "client", "compat"],
  ["subscriptions/listen", "request", "client", "native"],
  ["tasks/get", "request", "client", "native", "taskId"],
  ["tasks/update", "request", "client", "native", "taskId"],
  ["tasks/cancel", "request", "client", "native", "taskId"],
  ["elicitation/create", "request", "server", "compat"],
  ["sampling/createMessage", "request", "server", "compat"],
  ["roots/list", "request", "server", "compat"],
  ["notifications/initialized", "notification", "client", "compat"],
  ["notifications/cancelled", "notification", "both", "both"],
  ["notifications/progress", "notification", "both", "both"],
  ["notifications/message", "notification", "server", "both"],
  ["notifications/roots/list_changed", "notification", "client", "compat"],
  ["notifications/tools/list_changed", "notification", "server", "both"],
  ["notifications/prompts/list_changed", "notification", "server", "both"],
  ["notifications/resources/list_changed", "notification", "server", "both"],
  ["notifications/resources/updated", "notification", "server", "both"],
  ["notifications/subscriptions/acknowledged", "notification", "server", "native"],
  ["notifications/elicitation/complete", "notification", "server", "compat"],
  ["notifications/tasks", "notification", "server", "native"]
] as const

describe("The method table", () => {
  it.each(methods)("BASE-22 BASE-23 HDR-04 TASK-17 has %s", (method, kind, from, eras, named?: string) => {
    assert.deepStrictEqual<unknown>(methodRow(method), { kind, from, eras, ...(named === undefined ? {} : { named }) })
  })

  it("BASE-22 BASE-23 has no other", () => {
    assert.deepStrictEqual(
      [...methodNames],
      methods.map(([method]) => method)
    )
    for (const other of ["", "Tools/call", "tools/call/", "__proto__", "constructor", "toString"])
      assert.isUndefined(methodRow(other))
  })

  it("BASE-05 BASE-22 in the native era only clients ask", () => {
    const native = methods.filter(([, kind, , eras]) => kind === "request" && eras !== "compat")
    assert.deepStrictEqual(
      native.map(([method, , from]) => [method, from]),
      [
        "server/discover",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "subscriptions/listen",
        "tasks/get",
        "tasks/update",
        "tasks/cancel"
      ].map((method) => [method, "client"])
    )
  })
})

describe("Eras", () => {
  it.each([
    ["2024-11-05", "compat"],
    ["2025-11-25", "compat"],
    ["2026-07-27", "compat"],
    ["2026-07-28", "native"],
    ["2027-01-01", "native"]
  ])("ERA revision %s is %s", (version, era) => {
    assert.strictEqual(eraOf(version), era)
  })

  it("VER the first of ours that the peer speaks too is chosen", () => {
    assert.strictEqual(commonVersion(["c", "b", "a"], ["a", "b"]), "b")
    assert.isUndefined(commonVersion(["c"], ["a"]))
    assert.isUndefined(commonVersion([], ["a"]))
  })

  it("VER only dated revisions that are known are known", () => {
    assert.isTrue(protocolVersions.every(isProtocolVersion))
    assert.isFalse(["", "2026-07-29", "2026-07-28 ", "draft"].some(isProtocolVersion))
  })
})

describe("Hints", () => {
  it("D7 TOOL-09 are emitted as said, false included, and nothing else is", () => {
    assert.deepStrictEqual(
      hintAnnotations({ readOnly: true, destructive: false, idempotent: true, openWorld: false }),
      {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false
      }
    )
    assert.deepStrictEqual(hintAnnotations({ openWorld: false }), { openWorldHint: false })
    assert.deepStrictEqual([hintAnnotations({}), hintAnnotations(undefined)], [undefined, undefined])
  })
})

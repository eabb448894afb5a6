/**
 * The cell sheet: every way in which a request can be refused, with what is sent, the status, the code, the reason and the
 * requirement. A rung without a row does not compile, and a rung of the ladder without one fails.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawAsk, rawToolCall } from "@treadle/testing"
import type { Rung } from "../../src/envelope/Refusal.ts"
import { rungs } from "../../src/envelope/Ladder.ts"
import { Mcp } from "../../src/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { empty, serving } from "../fixtures/calling.ts"
import { calling, cellMcp, exchange, httpDoors, meta, type Fault } from "../fixtures/cells.ts"

const versionKey = "io.modelcontextprotocol/protocolVersion"
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

interface Row extends Fault {
  readonly scenario: string
  /** Whether the answer repeats the id, 7; it does not where none was read. */
  readonly id?: false
}

interface Cells {
  readonly status: number
  readonly code: number
  readonly says: RegExp
  readonly rows: ReadonlyArray<Row>
}

const text =
  (body: string | Uint8Array): Fault["text"] =>
  () =>
    body
const whole = (value: unknown): Fault["text"] => text(JSON.stringify(value))
const member =
  (name: string, value: unknown): Fault["message"] =>
  (message) => ({ ...message, [name]: value })
const method = (name: string): Fault => ({ headers: { "mcp-method": name }, message: member("method", name) })
const host = (value: string): Fault => ({ headers: { host: value } })
const origin = (value: string): Fault => ({ headers: { origin: value } })
const throwing = Mcp.make({
  name: "suite",
  version: "1.0.0",
  principal: () => {
    throw new Error("secret of the author")
  }
})

/** What cannot be shown by a request alone has a test of its own below. */
type Elsewhere = "path" | "id-free"

const sheet: { readonly [R in Exclude<Rung, Elsewhere>]: Cells } = {
  host: {
    status: 403,
    code: -32600,
    says: /^Host .*hosts: \["/,
    rows: [
      { scenario: "HTTP-03 B071: a foreign name", id: false, ...host("evil.example") },
      { scenario: "B071: a name that begins like a loopback one", id: false, ...host("localhost.evil.example") },
      { scenario: "B071: an address that begins like a loopback one", id: false, ...host("127.0.0.1.evil.example:80") },
      { scenario: "B071: a loopback name where hosts are given", id: false, settings: { hosts: ["a.example"] } },
      { scenario: "B071: user information", id: false, ...host("localhost@evil.example") }
    ]
  },
  origin: {
    status: 403,
    code: -32600,
    says: /^Origin .*origins: \["/,
    rows: [
      ...["null", "http://evil.example", "http://localhost.evil.example", "https://localhost@evil.example"].map(
        (value): Row => ({ scenario: `HTTP-02 B071: ${value}`, id: false, ...origin(value) })
      ),
      {
        scenario: "HTTP-02: a loopback page where origins are given",
        id: false,
        settings: { origins: ["https://a.example"] },
        ...origin("http://localhost:3000")
      }
    ]
  },
  verb: {
    status: 405,
    code: -32600,
    says: /send a JSON-RPC message with POST/,
    rows: ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"].map((verb): Row => ({
      scenario: `HTTP-19: ${verb}`,
      id: false,
      verb
    }))
  },
  "content-type": {
    status: 415,
    code: -32600,
    says: /^Content-Type must be application\/json/,
    rows: [
      "text/plain",
      "application/jsonx",
      "text/plain; a=application/json",
      "application/json; charset=latin1",
      "*/*"
    ].map((type): Row => ({ scenario: `HTTP-23 B044: ${type}`, id: false, headers: { "content-type": type } }))
  },
  accept: {
    status: 406,
    code: -32600,
    says: /Accept header/,
    rows: ["image/png", "application/json;q=0, text/event-stream;q=0", "application/*;q=0"].map((accept): Row => ({
      scenario: `HTTP-23 B011: ${accept}`,
      id: false,
      headers: { accept }
    }))
  },
  "body-size": {
    status: 413,
    code: -32600,
    says: /larger than 2000 bytes/,
    rows: [
      { scenario: "D13 B046: one byte too many", id: false, text: (sent) => sent.padEnd(2_001) },
      { scenario: "D13 B046: bytes count, not characters", id: false, text: text("é".repeat(1_001)) }
    ]
  },
  "body-gone": {
    status: 500,
    code: -32603,
    says: /already read/,
    rows: [{ scenario: "D13: something read the body and left nothing", id: false, consumed: true }]
  },
  json: {
    status: 400,
    code: -32700,
    says: /^Parse error/,
    rows: [
      { scenario: "BASE-01: no JSON", id: false, text: text("{") },
      { scenario: "BASE-01: nothing", id: false, text: text("") },
      { scenario: "BASE-01: invalid UTF-8", id: false, text: text(new Uint8Array([34, 0xff, 34])) },
      { scenario: "BASE-01: an overlong form", id: false, text: text(new Uint8Array([34, 0xc0, 0xaf, 34])) },
      { scenario: "HTTP-05: two messages", id: false, text: (sent) => sent + sent }
    ]
  },
  principal: {
    status: 500,
    code: -32603,
    says: /^Internal error \(reference [0-9a-f]{8}\)$/,
    rows: [{ scenario: "D5: the author's principal function throws", id: false, mcp: throwing }]
  },
  message: {
    status: 400,
    code: -32600,
    says: /^Invalid request: |takes no answers$/,
    rows: [
      { scenario: "BASE-24: a batch", id: false, text: (sent) => `[${sent}]` },
      { scenario: "BASE-24: an empty batch", id: false, text: text("[]") },
      ...[5, "text", null, true, {}].map((value): Row => ({
        scenario: `B049: ${JSON.stringify(value)}`,
        id: false,
        text: whole(value)
      })),
      { scenario: "B049: no jsonrpc", message: member("jsonrpc", undefined) },
      { scenario: "B049: jsonrpc 1.0", message: member("jsonrpc", "1.0") },
      { scenario: "B049: a method that is no string", message: member("method", 5) },
      { scenario: "B049: params that are no object", message: member("params", "x") },
      { scenario: "B049: params that are a list", message: member("params", [1]) },
      { scenario: "B049: params that are null", message: member("params", null) },
      ...[null, 1.5, true, {}, 2 ** 53].map((id): Row => ({
        scenario: `BASE-02 B053: id ${JSON.stringify(id)}`,
        id: false,
        message: member("id", id)
      })),
      { scenario: "BASE-06: an answer", id: false, text: whole({ jsonrpc: "2.0", id: 7, result: {} }) },
      {
        scenario: "BASE-06: an error",
        id: false,
        text: whole({ jsonrpc: "2.0", id: 7, error: { code: 1, message: "" } })
      },
      { scenario: "a request that is an answer too", message: member("result", {}) }
    ]
  },
  "version-named": {
    status: 400,
    code: -32602,
    says: /protocol version under|without a handshake/,
    rows: [
      { scenario: "META-02: no params", message: ({ params: _, ...rest }) => rest },
      { scenario: "META-02: no _meta", message: ({ params: { _meta, ...params }, ...rest }) => ({ ...rest, params }) },
      { scenario: "META-02: no version", message: meta((one) => delete (one as any)[versionKey]) },
      {
        scenario: "META-02: a version that is no string",
        message: meta((one) => Object.assign(one, { [versionKey]: 5 }))
      },
      {
        scenario: "META-02: a _meta that is a list",
        message: (message) => ({ ...message, params: { ...message.params, _meta: [] } })
      },
      {
        scenario: "ERA-12: a handshake of an older revision",
        headers: { "mcp-protocol-version": undefined },
        message: (message) => ({
          ...message,
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {} }
        })
      }
    ]
  },
  "version-agrees": {
    status: 400,
    code: -32020,
    says: /MCP-Protocol-Version/,
    rows: [
      { scenario: "HDR-01 HDR-02: no header", headers: { "mcp-protocol-version": undefined } },
      { scenario: "HDR-05: an empty header", headers: { "mcp-protocol-version": "" } },
      { scenario: "HDR-05: another version", headers: { "mcp-protocol-version": "2025-11-25" } },
      { scenario: "HDR-05: two versions", headers: { "mcp-protocol-version": "2026-07-28, 2026-07-28" } }
    ]
  },
  "version-served": {
    status: 400,
    code: -32022,
    says: /is not served; use one of 2026-07-28$/,
    rows: ["2025-11-25", "2099-01-01", "", "__proto__"].map((version): Row => ({
      scenario: `VER-01 ERR-09: version ${JSON.stringify(version)}`,
      headers: { "mcp-protocol-version": version },
      message: meta((one) => Object.assign(one, { [versionKey]: version }))
    }))
  },
  "capabilities-named": {
    status: 400,
    code: -32602,
    says: /clientCapabilities/,
    rows: [undefined, null, [], "x"].map((value): Row => ({
      scenario: `META-01 META-02: capabilities ${JSON.stringify(value)}`,
      message: meta((one) => Object.assign(one, { [capabilitiesKey]: value }))
    }))
  },
  "method-agrees": {
    status: 400,
    code: -32020,
    says: /Mcp-Method/,
    rows: [
      { scenario: "HDR-03 HDR-05: no header", headers: { "mcp-method": undefined } },
      { scenario: "HDR-05: another method", headers: { "mcp-method": "tools/list" } },
      { scenario: "HDR-06: another case", headers: { "mcp-method": "Tools/Call" } }
    ]
  },
  "method-served": {
    status: 404,
    code: -32601,
    says: /does not serve the method/,
    rows: [
      { scenario: "HTTP-18: unknown", ...method("nope") },
      { scenario: "ERR-02: not advertised", ...method("prompts/list") },
      { scenario: "ERA-12: a ping of an older revision", ...method("ping") },
      { scenario: "ERA-12: a handshake in the native envelope", ...method("initialize") },
      { scenario: "ERR-02: tools of a server without any", mcp: empty() }
    ]
  },
  "name-agrees": {
    status: 400,
    code: -32020,
    says: /Mcp-Name/,
    rows: [
      { scenario: "HDR-04 HDR-05: no header", headers: { "mcp-name": undefined } },
      { scenario: "HDR-05: another name", headers: { "mcp-name": "regional" } },
      { scenario: "HDR-06: another case", headers: { "mcp-name": "Echo" } },
      { scenario: "HDR-12: bad padding", headers: { "mcp-name": "=?base64?ZWNobw?=" } },
      { scenario: "HDR-12: bad alphabet", headers: { "mcp-name": "=?base64?ZWNo_w==?=" } },
      { scenario: "HDR-10: markers in another case", headers: { "mcp-name": "=?BASE64?ZWNobw==?=" } },
      { scenario: "HDR-09 HDR-11: a name that looks encoded, sent as it is", ...calling("=?base64?ZWNobw==?=", {}) },
      { scenario: "HDR-05: invalid characters", ...calling("caf\u00e9", {}) },
      {
        scenario: "HDR-05: a name that is no string",
        message: (message) => ({ ...message, params: { ...message.params, name: 5 } })
      }
    ]
  },
  "params-agree": {
    status: 400,
    code: -32020,
    says: /mcp-param-/,
    rows: [
      { scenario: "XHDR-10: no header", ...calling("regional", { region: "eu" }) },
      { scenario: "XHDR-09b: a header without its argument", ...calling("regional", {}, { "mcp-param-region": "eu" }) },
      { scenario: "HDR-05: another value", ...calling("regional", { region: "eu" }, { "mcp-param-region": "EU" }) },
      { scenario: "XHDR-11: another number", ...calling("regional", { count: 42 }, { "mcp-param-count": "42.5" }) },
      { scenario: "HDR-13: no decimal", ...calling("regional", { count: 16 }, { "mcp-param-count": "0x10" }) },
      {
        scenario: "HDR-13: a boolean in another case",
        ...calling("regional", { dry: true }, { "mcp-param-dry-run": "True" })
      },
      { scenario: "HDR-12: bad Base64", ...calling("regional", { zone: "a" }, { "mcp-param-zone": "=?base64?YQ?=" }) },
      { scenario: "XHDR-04: a nested argument without its header", ...calling("regional", { deep: { tenant: "t" } }) }
    ]
  },
  stopping: {
    status: 503,
    code: -32603,
    says: /stopping/,
    rows: [{ scenario: "D17: a door that was closed", closed: true }]
  },
  calls: {
    status: 429,
    code: -32603,
    says: /^Too many calls are running \(0\)/,
    rows: [{ scenario: "D13: one call more than may run", settings: { limits: { runningCalls: 0 } } }]
  }
}

/** The order in which the HTTP doors check, and so the order of this sheet. */
const order = Object.keys(sheet) as ReadonlyArray<keyof typeof sheet>

describe("the cell sheet", () => {
  it("has a row for every rung of the ladder, in the order of the ladder", () => {
    const names = rungs.map(([name]) => name)
    assert.deepStrictEqual(
      order.filter((name) => (names as ReadonlyArray<string>).includes(name)),
      names
    )
    for (const [name, { rows }] of Object.entries(sheet)) assert.isNotEmpty(rows, name)
  })
})

describe.each(httpDoors)("a request that is refused by the door on $name", ({ send }) => {
  for (const [rung, { code, rows, says, status }] of Object.entries(sheet)) {
    it.effect.each(rows)(`${rung}: $scenario`, (row) =>
      Effect.scoped(
        Effect.gen(function* () {
          const seen = yield* send(row)
          assert.strictEqual(seen.status, status, seen.text)
          assert.strictEqual(seen.headers["content-type"], "application/json")
          const { error, ...rest } = seen.json
          assert.deepStrictEqual(rest, row.id === false ? { jsonrpc: "2.0" } : { jsonrpc: "2.0", id: 7 })
          assert.strictEqual(error.code, code)
          assert.match(error.message, says)
          assert.notMatch(seen.text, /secret of the author|\.ts:|node_modules/)
        })
      )
    )
  }

  const pairs = order.flatMap((first, at) => order.slice(at + 1).map((second) => [first, second] as const))
  const silent = new Set(["body-gone", "principal"])

  it.effect("with two faults is told the one that is checked first", () =>
    Effect.gen(function* () {
      for (const [first, second] of pairs) {
        if (silent.has(first) || silent.has(second)) continue
        const [one, two] = [sheet[first].rows[0], sheet[second].rows[0]]
        if (one === undefined || two === undefined) return assert.fail()
        const seen = yield* Effect.scoped(send(two, one))
        assert.deepStrictEqual(
          [seen.status, seen.json?.error.code],
          [sheet[first].status, sheet[first].code],
          `${first} before ${second}: ${seen.text}`
        )
        assert.match(seen.json.error.message, sheet[first].says, `${first} before ${second}`)
      }
    })
  )

  it.effect("says what would have been served (ERR-09, HTTP-19, D17)", () =>
    Effect.gen(function* () {
      const first = (rung: keyof typeof sheet) => Effect.scoped(send(sheet[rung].rows[0] ?? {}))
      assert.strictEqual((yield* first("verb")).headers["allow"], "POST")
      assert.deepStrictEqual((yield* first("version-served")).json.error.data, {
        supported: ["2026-07-28"],
        requested: "2025-11-25"
      })
      const initialize = yield* send(sheet["version-named"].rows.at(-1) ?? {})
      assert.deepStrictEqual(initialize.json.error.data, { supported: ["2026-07-28"], requested: "2025-11-25" })
    })
  )
})

describe("a message that is refused elsewhere", () => {
  it.effect("path: HTTP-01: another path than the endpoint is 404 and names the endpoint", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => McpNode.listen(cellMcp(), { path: "/mcp" })),
        ({ close }) => Effect.promise(close)
      )
      for (const path of ["/", "/mcp/", "/mcp/x", "/MCP"]) {
        const seen = yield* Effect.promise(() => exchange(server.port, "POST", [], "{}", path))
        assert.strictEqual(seen.status, 404)
        assert.include(seen.json.error.message, "the endpoint is /mcp")
      }
      const seen = yield* Effect.promise(() => exchange(server.port, "GET", [], "", "/mcp?x=/y"))
      assert.strictEqual(seen.status, 405)
    })
  )

  it.effect("id-free: BASE-04: an id that still runs is refused on a pipe without saying the id", () =>
    Effect.gen(function* () {
      const { peer } = yield* serving(
        empty().tool("t", { description: "" }, () => Effect.never),
        {}
      )
      const running = yield* peer.send(rawToolCall(1, "t"))
      const again = yield* peer.send(rawToolCall(1, "t"))
      const refused = yield* Effect.promise(() => again.seen.first(() => true))
      assert.deepStrictEqual(Object.keys(refused), ["jsonrpc", "error"])
      assert.strictEqual(refused["error"].code, -32600)
      const other = yield* rawAsk(peer, rawToolCall("1", "none"))
      assert.strictEqual(other["error"].code, -32602)
      yield* running.cancel
    })
  )
})

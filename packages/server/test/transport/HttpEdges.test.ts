/**
 * What the HTTP doors take, beside the cell sheet of what they refuse: media types, headers, hosts, sizes.
 */
import { assert, describe, it } from "@effect/vitest"
import { connect } from "node:net"
import { request as httpRequest } from "node:http"
import * as Effect from "effect/Effect"
import { rawVersion } from "@treadle/testing"
import { McpNode, type HttpSettings } from "../../src/node/index.ts"
import { makeGuard } from "../../src/transport/HttpGuard.ts"
import { calling, cellMcp, httpDoors, listening, type Fault, type Seen } from "../fixtures/cells.ts"
import { compat } from "../fixtures/compatSheet.ts"
import { eventMessages } from "../fixtures/rawPeers.ts"

const textOf = (seen: Seen): string => {
  assert.strictEqual(seen.status, 200, seen.text)
  const answer = seen.json ?? eventMessages(seen.text).at(-1)
  return answer?.result.content[0].text
}

const encoded = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`

/** What is asked to be taken, and what is said then. */
const taken: ReadonlyArray<Fault & { readonly scenario: string; readonly says: string }> = [
  { scenario: "HTTP-04: as the specification has it", says: "hi" },
  ...[
    "application/json; charset=utf-8",
    "Application/JSON",
    'application/json;charset="UTF-8"',
    "application/json ; a=b"
  ].map((type) => ({ scenario: `B044: Content-Type ${type}`, headers: { "content-type": type }, says: "hi" })),
  {
    scenario: "HDR-07: white space round a version",
    headers: { "mcp-protocol-version": `\t${rawVersion}  ` },
    says: "hi"
  },
  { scenario: "HDR-07: white space round a method", headers: { "mcp-method": " tools/call\t" }, says: "hi" },
  { scenario: "HDR-07: white space round a name", headers: { "mcp-name": "  echo " }, says: "hi" },
  { scenario: "HDR-11: a name in Base64", headers: { "mcp-name": encoded("echo") }, says: "hi" },
  {
    scenario: "HTTP-19: a session that nobody opened",
    headers: { "mcp-session-id": "x", "last-event-id": "9" },
    says: "hi"
  },
  { scenario: "B074 META-04: nothing about the client", says: "hi" },
  { scenario: "XHDR-09: arguments without headers where they are absent", ...calling("regional", {}), says: "{}" },
  {
    scenario: "XHDR-10: every annotated argument",
    ...calling(
      "regional",
      { region: "eu", count: -7, dry: false, zone: "", deep: { tenant: "t" } },
      {
        "mcp-param-region": "eu",
        "mcp-param-count": "-7",
        "mcp-param-dry-run": "false",
        "mcp-param-zone": "",
        "mcp-param-tenant": "t"
      }
    ),
    says: '{"region":"eu","count":-7,"dry":false,"zone":"","deep":{"tenant":"t"}}'
  },
  {
    scenario: "XHDR-11: integers as numbers",
    ...calling("regional", { count: 42 }, { "mcp-param-count": "42.0" }),
    says: '{"count":42}'
  },
  {
    scenario: "HDR-08 HDR-11: an argument that only Base64 can carry",
    ...calling("regional", { zone: " Zürich " }, { "mcp-param-zone": encoded(" Zürich ") }),
    says: '{"zone":" Zürich "}'
  },
  {
    scenario: "HDR-10: markers in another case are text",
    ...calling("regional", { zone: "=?Base64?YQ==?=" }, { "mcp-param-zone": "=?Base64?YQ==?=" }),
    says: '{"zone":"=?Base64?YQ==?="}'
  },
  { scenario: "HDR-14: headers of arguments that are not annotated", headers: { "mcp-param-other": "x" }, says: "hi" },
  {
    scenario: "HDR-14: such headers beside those that are",
    ...calling("regional", { region: "eu" }, { "mcp-param-region": "eu", "mcp-param-other": "x", "mcp-param-": "y" }),
    says: '{"region":"eu"}'
  },
  { scenario: "a byte order mark before the JSON", text: (sent) => `\uFEFF${sent}`, says: "hi" },
  { scenario: "HTTP-02: no Origin", says: "hi" },
  ...["http://localhost:3000", "http://127.0.0.1:9", "http://[::1]:1", "http://LOCALHOST"].map((origin) => ({
    scenario: `B071 D13: a page on this machine, ${origin}`,
    headers: { origin },
    says: "hi"
  })),
  {
    scenario: "HTTP-02: a page of its own host",
    headers: { host: "mcp.example.com", origin: "https://mcp.example.com" },
    settings: { hosts: ["mcp.example.com"] },
    says: "hi"
  },
  {
    scenario: "HTTP-02: an Origin of the settings",
    headers: { origin: "https://app.example" },
    settings: { origins: ["https://app.example"] },
    says: "hi"
  },
  ...["mcp.example.com", "MCP.example.com:8443"].map((host) => ({
    scenario: `B071: a Host of the settings, ${host}`,
    headers: { host },
    settings: { hosts: ["mcp.Example.com"] },
    says: "hi"
  })),
  {
    scenario: "D13: any Host and Origin where it was said",
    headers: { host: "x.y", origin: "null" },
    settings: { hosts: "any", origins: "any" },
    says: "hi"
  }
]

/** Accept, the status, and the form of the answer. */
const acceptTable = [
  ["application/json, text/event-stream", 200, "application/json"],
  ["text/event-stream;q=0.5,application/json", 200, "application/json"],
  ["APPLICATION/JSON, Text/Event-Stream", 200, "application/json"],
  ["*/*", 200, "application/json"],
  ["application/*, text/*", 200, "application/json"],
  [undefined, 200, "application/json"],
  ["application/json", 200, "application/json"],
  ["text/event-stream", 200, "text/event-stream"],
  ["application/json;q=0, */*", 200, "text/event-stream"],
  ["image/png", 406, "application/json"]
] as const

describe.each(httpDoors)("the door on $name", ({ send }) => {
  it.effect.each(taken)("takes $scenario", ({ says, ...fault }) =>
    Effect.scoped(Effect.map(send(fault), (seen) => assert.strictEqual(textOf(seen), says)))
  )

  it.effect("B011 D9 HTTP-23: answers in a form that Accept admits, in both eras", () =>
    Effect.gen(function* () {
      for (const era of [{}, compat]) {
        for (const [accept, status, type] of acceptTable) {
          const seen = yield* Effect.scoped(send(era, { headers: { accept } }))
          assert.deepStrictEqual([seen.status, seen.headers["content-type"]], [status, type], accept ?? "absent")
          if (status === 200) assert.strictEqual(textOf(seen), "hi")
        }
      }
    })
  )

  it.effect("HTTP-20: answers 200 to what the call itself says", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [Fault, unknown]> = [
        [calling("nope", {}), -32602],
        [calling("echo", { text: 5 }), undefined],
        [{ message: (message) => ({ ...message, params: { ...message.params, arguments: null } }) }, -32602]
      ]
      for (const [fault, code] of rows) {
        const seen = yield* Effect.scoped(send(fault))
        assert.deepStrictEqual([seen.status, seen.json.error?.code], [200, code], seen.text)
      }
    })
  )

  it.effect("HTTP-06 HTTP-09 B043: accepts a notification with 202 and nothing, whatever headers it lacks", () =>
    Effect.gen(function* () {
      const bare = { "mcp-method": undefined, "mcp-name": undefined, "mcp-protocol-version": undefined }
      for (const method of ["notifications/cancelled", "notifications/x"]) {
        const message = () => ({ jsonrpc: "2.0", method, params: { requestId: 7 } })
        const seen = yield* Effect.scoped(send({ headers: bare, message }))
        assert.deepStrictEqual([seen.status, seen.text], [202, ""])
      }
    })
  )

  it.effect("HTTP-19: mints no session", () =>
    Effect.scoped(
      Effect.map(send({ headers: { "mcp-session-id": "x" } }), ({ headers }) => {
        assert.notProperty(headers, "mcp-session-id")
      })
    )
  )

  it.effect("D13: serves a body of exactly the limit", () =>
    Effect.scoped(
      Effect.map(send({ text: (sent) => sent.padEnd(2_000) }), (seen) => assert.strictEqual(textOf(seen), "hi"))
    )
  )
})

/** A node door whose bodies may have this many bytes. */
const limited = (bodyBytes: number, settings: HttpSettings = {}) =>
  Effect.suspend(() => {
    const door = McpNode.handler(cellMcp(), { ...settings, limits: { bodyBytes } })
    return listening((req, res) => door(req, res))
  })

/** What a plain socket gets for these bytes. */
const spoken = (port: number, bytes: string): Effect.Effect<string> =>
  Effect.promise(
    () =>
      new Promise((resolve) => {
        let text = ""
        const socket = connect(port, "127.0.0.1", () => socket.end(bytes))
        socket.setEncoding("utf8").on("data", (piece: string) => (text += piece))
        socket.on("error", () => {})
        socket.on("close", () => resolve(text))
      })
  )

describe("a body over the limit", () => {
  /** Sends pieces as fast as they are taken until there is an answer. */
  const pouring = (port: number, headers: Record<string, string>) =>
    Effect.promise(
      () =>
        new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
          const req = httpRequest({ port, host: "127.0.0.1", method: "POST", agent: false, headers }, (res) => {
            let text = ""
            res.setEncoding("utf8").on("data", (piece: string) => (text += piece))
            res.on("end", () => resolve({ status: res.statusCode ?? 0, text }))
            res.on("error", reject)
          })
          let left = 400
          const pour = () => {
            while (left-- > 0) if (!req.write(Buffer.alloc(16_384, 32))) return void req.once("drain", pour)
            req.end()
          }
          let failed: unknown
          req.on("error", (error) => (failed = error))
          req.on("close", () => setImmediate(() => reject(failed ?? new Error("no answer"))))
          pour()
        })
    )
  const json = { "content-type": "application/json" }

  it.effect("B046 D13: is answered 413, readable while the client is still sending, in one piece or in chunks", () =>
    Effect.gen(function* () {
      const port = yield* limited(20_000)
      for (const headers of [json, { ...json, "content-length": String(400 * 16_384) }]) {
        for (let round = 0; round < 5; round++) {
          const { status, text } = yield* pouring(port, headers)
          assert.strictEqual(status, 413)
          assert.strictEqual(JSON.parse(text).error.code, -32600)
        }
      }
    })
  )

  it.effect(
    "B046 B074 HDR-06: is served up to 4 MiB by default, after Expect: 100-continue, with header names in any case",
    () =>
      Effect.gen(function* () {
        const door = McpNode.handler(cellMcp())
        const port = yield* listening((req, res) => door(req, res))
        const text = "x".repeat(1_000_000)
        const body = JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "echo",
            arguments: { text },
            _meta: {
              "io.modelcontextprotocol/protocolVersion": rawVersion,
              "io.modelcontextprotocol/clientCapabilities": {}
            }
          }
        })
        const answer = yield* spoken(
          port,
          `POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nMCP-PROTOCOL-VERSION: ${rawVersion}\r\n` +
            `mCP-mETHOD: tools/call\r\nMcp-Name: echo\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        )
        assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
        assert.include(answer, text)
      })
  )
})

describe("a Host", () => {
  it.effect("B071: that is absent is refused with 403 (HTTP/1.0), unless any is served", () =>
    Effect.gen(function* () {
      const request = "POST / HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
      assert.match(yield* spoken(yield* limited(100), request), /^HTTP\/1\.1 403[^]*The Host header is missing/)
      assert.match(yield* spoken(yield* limited(100, { hosts: "any" }), request), /^HTTP\/1\.1 400/)
    })
  )

  it("D13: of loopback is not served on a socket that is bound elsewhere, also when it was served here before", () => {
    const guard = makeGuard({})
    const ask = (loopback: boolean | undefined, origin?: string) =>
      guard.request({
        method: "POST",
        loopback,
        header: (name) => (name === "host" ? "localhost:1" : name === "origin" ? origin : undefined)
      })?.rung
    assert.strictEqual(ask(true), undefined)
    assert.strictEqual(ask(undefined), undefined)
    assert.strictEqual(ask(false), "host")
    assert.strictEqual(ask(true, "http://127.0.0.1:5"), undefined)
  })

  it("D13: passes again and again, however many were seen", () => {
    const guard = makeGuard({ hosts: ["a.example"] })
    for (let port = 1; port < 200; port++) {
      const header = (name: string) => (name === "host" ? `a.example:${port}` : undefined)
      assert.strictEqual(guard.request({ method: "POST", loopback: false, header }), undefined)
      assert.strictEqual(guard.request({ method: "POST", loopback: false, header }), undefined)
    }
  })

  it.effect("B071 HTTP-03: is a loopback address by default, and a public one is not opened by McpNode.listen", () =>
    Effect.gen(function* () {
      const address = yield* Effect.promise(async () => {
        await using server = await McpNode.listen(cellMcp())
        return server.server.address()
      })
      assert.deepInclude(address, { address: "127.0.0.1" })
      for (const host of ["0.0.0.0", "::", "10.0.0.1", "example.com", "localhost.evil.example", "127.evil.example"]) {
        const message = yield* Effect.promise(() =>
          McpNode.listen(cellMcp(), { host }).then(
            (server) => server.close().then(() => "opened"),
            (error: Error) => error.message
          )
        )
        assert.match(message, /does not open .* without authentication/, host)
      }
    })
  )
})

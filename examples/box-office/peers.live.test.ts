/**
 * The box office called by other people's clients, over HTTP and stdio and in both eras: the official clients of two
 * generations, and the official Inspector's command line.
 */
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { McpNode, type Listening } from "@treadle/server/node"
import { build } from "esbuild"
import { afterAll, beforeAll } from "vitest"
import { boxOffice } from "./server.ts"

const run = promisify(execFile)
const inspector = path.resolve(import.meta.dirname, "../../node_modules/.bin/mcp-inspector")

let folder = ""
let program = ""
let listening: Listening | undefined

beforeAll(async () => {
  // Beside the sources, so that the bundle finds its dependencies.
  folder = await mkdtemp(path.join(import.meta.dirname, ".live-"))
  program = path.join(folder, "main.mjs")
  await build({
    entryPoints: [path.join(import.meta.dirname, "main.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@treadle/source"],
    external: ["effect", "@effect/platform-node"],
    logLevel: "error"
  })
  listening = await McpNode.listen(boxOffice)
})

afterAll(async () => {
  await listening?.close()
  await rm(folder, { recursive: true, force: true })
})

const url = () => listening?.url ?? ""

const doors = ["http", "stdio"] as const
type Door = (typeof doors)[number]

const child = () => ({ command: process.execPath, args: [program, "--stdio"], stderr: "ignore" as const })

/** What a test asks of an official client, whatever its generation. */
interface Peer {
  readonly version: string | undefined
  /** The session that it names, over HTTP. */
  readonly session: () => string | undefined
  readonly tools: () => Promise<ReadonlyArray<{ readonly name: string }>>
  readonly call: (
    name: string,
    args: Record<string, unknown>,
    options?: CallOptions
  ) => Promise<Record<string, unknown>>
  readonly ping: () => Promise<unknown>
  /** Everything that it could not make sense of. */
  readonly errors: ReadonlyArray<Error>
  readonly end: () => Promise<unknown>
  readonly close: () => Promise<void>
}

interface CallOptions {
  readonly onprogress?: (told: { progress: number; total?: number | undefined; message?: string | undefined }) => void
  readonly signal?: AbortSignal
}

const info = { name: "peer", version: "1" }

const client2 =
  (mode: "auto" | "legacy") =>
  async (door: Door): Promise<Peer> => {
    const http = door === "http" ? new StreamableHTTPClientTransport(new URL(url())) : undefined
    const client = new Client(info, { versionNegotiation: { mode } })
    const errors: Array<Error> = []
    client.onerror = (error) => void errors.push(error)
    await client.connect(http ?? new StdioClientTransport(child()))
    return {
      version: client.getNegotiatedProtocolVersion(),
      session: () => http?.sessionId,
      tools: async () => (await client.listTools()).tools,
      call: (name, args, options) => client.callTool({ name, arguments: args }, options),
      ping: () => client.ping(),
      errors,
      end: async () => http?.terminateSession(),
      close: () => client.close()
    }
  }

const sdk1 = async (door: Door): Promise<Peer> => {
  const http = door === "http" ? new OldHttp(new URL(url())) : undefined
  const client = new OldClient(info)
  const errors: Array<Error> = []
  client.onerror = (error) => void errors.push(error)
  const transport = http ?? new OldStdio(child())
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return {
    version: http?.protocolVersion ?? "2025-11-25",
    session: () => http?.sessionId,
    tools: async () => (await client.listTools()).tools,
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    ping: () => client.ping(),
    errors,
    end: async () => http?.terminateSession(),
    close: () => client.close()
  }
}

const peers = [
  { peer: "the official client", era: "native", version: "2026-07-28", connect: client2("auto") },
  {
    peer: "the official client, pinned to the old era",
    era: "compat",
    version: "2025-11-25",
    connect: client2("legacy")
  },
  { peer: "the official SDK of the first generation", era: "compat", version: "2025-11-25", connect: sdk1 }
] as const

const rows = peers.flatMap((row) => doors.map((door) => ({ ...row, door })))

describe.each(rows)("$peer over $door", ({ connect, door, era, version }) => {
  it("negotiates by itself, lists the tools and calls one", async () => {
    const client = await connect(door)
    assert.strictEqual(client.version, version)
    assert.strictEqual(client.session() !== undefined, era === "compat" && door === "http")
    const tools = await client.tools()
    assert.deepStrictEqual(
      tools.map((tool) => tool.name),
      ["list_shows", "get_show", "seat_the_party", "search_operations", "invoke"]
    )
    const result = await client.call("list_shows", { search: "Late" })
    assert.deepStrictEqual(result["structuredContent"], { value: [{ id: 2, title: "Late bill", remaining: 2 }] })
    await client.close()
    assert.deepStrictEqual(client.errors, [])
  })

  it("D5: gets a declared error as a result of the published shape, never as a protocol error", async () => {
    const client = await connect(door)
    await client.tools()
    const result = await client.call("get_show", { id: 9 })
    assert.isTrue(result["isError"])
    assert.deepStrictEqual(result["structuredContent"], { _tag: "ShowNotFound", id: 9 })
    assert.deepStrictEqual(result["content"], [{ type: "text", text: "There is no show 9." }])
    const wrong = await client.call("get_show", { id: "9" })
    assert.isTrue(wrong["isError"])
    await client.close()
    assert.deepStrictEqual(client.errors, [])
  })

  it("hears progress ahead of the result", async () => {
    const client = await connect(door)
    const heard: Array<unknown> = []
    const result = await client.call(
      "seat_the_party",
      { id: 1, guests: ["Ada", "Grace"] },
      { onprogress: ({ progress, total, message }) => void heard.push([progress, total, message]) }
    )
    // The official client forgets the listener of a call before it handles what came in the same read as the answer.
    const seated = [
      [1, 2, "Ada is seated"],
      [2, 2, "Grace is seated"]
    ]
    assert.deepStrictEqual(heard, door === "stdio" ? seated.slice(0, heard.length) : seated)
    assert.isAtLeast(heard.length, 1)
    assert.deepStrictEqual(result["structuredContent"], { seats: ["Ada: row A, seat 1", "Grace: row A, seat 2"] })
    await client.close()
  })

  it("CANCEL-02 D10: takes a call back, whose seats are free again, and goes on", async () => {
    const client = await connect(door)
    const show = async () => (await client.call("get_show", { id: 1 }))["structuredContent"]
    const before = await show()
    const abort = new AbortController()
    const guests = ["Ada", "Grace", "Edsger", "Barbara", "Tony", "Robin"]
    const stopped = await client
      .call("seat_the_party", { id: 1, guests }, { onprogress: () => abort.abort(), signal: abort.signal })
      .catch((error: Error) => error)
    assert.instanceOf(stopped, Error)
    let after = await show()
    for (let tries = 0; tries < 50 && JSON.stringify(after) !== JSON.stringify(before); tries++) after = await show()
    assert.deepStrictEqual(after, before)
    await client.close()
    assert.deepStrictEqual(client.errors, [])
  })
})

describe.each(rows.filter(({ era }) => era === "compat"))("$peer over $door, in its session", ({ connect, door }) => {
  it("INIT-11: is answered a ping", async () => {
    const client = await connect(door)
    assert.deepStrictEqual(await client.ping(), {})
    await client.close()
  })

  it.runIf(door === "http")("CHTTP-19 CHTTP-17: ends it, and is told that it has ended", async () => {
    const client = await connect(door)
    const session = client.session() ?? ""
    await client.end()
    const response = await fetch(url(), {
      method: "POST",
      headers: { "content-type": "application/json", "mcp-session-id": session },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
    })
    assert.strictEqual(response.status, 404)
    await client.close()
    assert.deepStrictEqual(client.errors, [])
  })
})

/** What a run of the program that fails ends with. */
const failing = async (...args: ReadonlyArray<string>) => {
  const failed = await run(process.execPath, [program, ...args], { timeout: 25_000 }).catch(
    (error: { readonly code: number; readonly stderr: string }) => error
  )
  assert("code" in failed)
  return failed
}

describe("the program", () => {
  it("shows what its client sees, and ends with --once", { timeout: 30_000 }, async () => {
    const { stdout } = await run(process.execPath, [program, "--once", "--port", "0"], { timeout: 25_000 })
    const lines = stdout.split("\n")
    assert.match(lines[0] ?? "", /^Box office serves MCP at http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    assert.deepStrictEqual(
      lines.slice(2, 9).map((text) => text.replace(/http\S+/, "URL")),
      [
        "list_shows        1 Evening bill, 2 Late bill",
        "get_show 9        ShowNotFound: There is no show 9.",
        "seat_the_party    1/2 Ada is seated",
        "seat_the_party    2/2 Grace is seated",
        "seat_the_party    Ada: row A, seat 1; Grace: row A, seat 2",
        'cancelled         tools/call "seat_the_party" at URL the caller cancelled it',
        "get_show 1        Evening bill, 10 seats left"
      ]
    )
  })

  it("says which port to take where its own is taken", { timeout: 30_000 }, async () => {
    const port = new URL(url()).port
    const failed = await failing("--once", "--port", port)
    assert.strictEqual(failed.code, 1)
    assert.include(failed.stderr, `npm start -- --port ${Number(port) + 1}`)
  })

  it.each([
    [["--onse"], "Unknown option '--onse'"],
    [["--port", "abc"], "--port takes a number from 0 to 65535, not abc"],
    [["--port", "99999"], "--port takes a number from 0 to 65535, not 99999"]
  ])("refuses what it does not know: %s", { timeout: 30_000 }, async (args, why) => {
    const failed = await failing(...args)
    assert.strictEqual(failed.code, 1)
    assert.include(failed.stderr, `${why}\nnpm start -- [--once] [--port N] [--stdio]`)
  })
})

describe("the Inspector's command line", () => {
  const inspect = async (era: string, target: ReadonlyArray<string>, ...args: ReadonlyArray<string>) => {
    const home = await mkdtemp(path.join(tmpdir(), "inspector-"))
    try {
      const all = [inspector, "--cli", ...target, "--protocol-era", era, "--format", "json", ...args]
      const { stdout } = await run(process.execPath, all, { env: { ...process.env, HOME: home }, timeout: 30_000 })
      return JSON.parse(stdout).result as Record<string, unknown>
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  }

  const targets = doors.flatMap((door) => ["modern", "legacy"].map((era) => ({ door, era })))

  it.each(targets)("lists and calls over $door in its $era era", { timeout: 60_000 }, async ({ door, era }) => {
    const target = door === "http" ? [url()] : [process.execPath, program, "--stdio"]
    const listed = await inspect(era, target, "--method", "tools/list")
    assert.deepStrictEqual(
      (listed["tools"] as ReadonlyArray<{ name: string }>).map((tool) => tool.name),
      ["list_shows", "get_show", "seat_the_party", "search_operations", "invoke"]
    )
    const get = ["--method", "tools/call", "--tool-name", "get_show", "--tool-args-json", `{"id":2}`]
    const called = await inspect(era, target, ...get)
    assert.deepStrictEqual(called["structuredContent"], { id: 2, title: "Late bill", remaining: 2 })
  })
})

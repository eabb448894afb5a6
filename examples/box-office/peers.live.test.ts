/**
 * The box office called by other people's clients, over HTTP and stdio: the official client, and the official
 * Inspector's command line.
 */
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
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
    external: ["effect"],
    logLevel: "error"
  })
  listening = await McpNode.listen(boxOffice)
})

afterAll(async () => {
  await listening?.close()
  await rm(folder, { recursive: true, force: true })
})

const url = () => listening?.url ?? ""

const official = {
  http: () => new StreamableHTTPClientTransport(new URL(url())),
  stdio: () => new StdioClientTransport({ command: process.execPath, args: [program, "--stdio"], stderr: "ignore" })
}

for (const door of ["http", "stdio"] as const) {
  describe(`the official client over ${door}`, () => {
    it("negotiates the native era by itself, lists the tools and calls one", async () => {
      const client = new Client({ name: "peer", version: "1" }, { versionNegotiation: { mode: "auto" } })
      await client.connect(official[door]())
      const { tools } = await client.listTools()
      assert.deepStrictEqual(
        tools.map((tool) => tool.name),
        ["list_shows", "get_show", "seat_the_party"]
      )
      const result = await client.callTool({ name: "list_shows", arguments: { search: "Late" } })
      assert.deepStrictEqual(result.structuredContent, { value: [{ id: 2, title: "Late bill", remaining: 2 }] })
      await client.close()
    })

    it("gets a declared error as a result of the published shape, never as a protocol error", async () => {
      const client = new Client({ name: "peer", version: "1" }, { versionNegotiation: { mode: "auto" } })
      await client.connect(official[door]())
      await client.listTools()
      const result = await client.callTool({ name: "get_show", arguments: { id: 9 } })
      assert.isTrue(result.isError)
      assert.deepStrictEqual(result.structuredContent, { _tag: "ShowNotFound", id: 9 })
      assert.deepStrictEqual(result.content, [{ type: "text", text: "There is no show 9." }])
      await client.close()
    })

    it("hears progress ahead of the result", async () => {
      const client = new Client({ name: "peer", version: "1" }, { versionNegotiation: { mode: "auto" } })
      await client.connect(official[door]())
      const heard: Array<unknown> = []
      const result = await client.callTool(
        { name: "seat_the_party", arguments: { id: 1, guests: ["Ada", "Grace"] } },
        { onprogress: ({ progress, total, message }) => void heard.push([progress, total, message]) }
      )
      // The official client forgets the listener of a call before it handles what came in the same read as the answer.
      const seated = [
        [1, 2, "Ada is seated"],
        [2, 2, "Grace is seated"]
      ]
      assert.deepStrictEqual(heard, door === "stdio" ? seated.slice(0, heard.length) : seated)
      assert.isAtLeast(heard.length, 1)
      assert.deepStrictEqual(result.structuredContent, { seats: ["Ada: row A, seat 1", "Grace: row A, seat 2"] })
      await client.close()
    })
  })
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
    const failed = await run(process.execPath, [program, "--once", "--port", port], { timeout: 25_000 }).catch(
      (error: { readonly code: number; readonly stderr: string }) => error
    )
    assert("code" in failed)
    assert.strictEqual(failed.code, 1)
    assert.include(failed.stderr, `npm start -- --port ${Number(port) + 1}`)
  })
})

describe("the Inspector's command line", () => {
  const inspect = async (target: ReadonlyArray<string>, ...args: ReadonlyArray<string>) => {
    const home = await mkdtemp(path.join(tmpdir(), "inspector-"))
    try {
      const all = [inspector, "--cli", ...target, "--protocol-era", "modern", "--format", "json", ...args]
      const { stdout } = await run(process.execPath, all, { env: { ...process.env, HOME: home }, timeout: 30_000 })
      return JSON.parse(stdout).result as Record<string, unknown>
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  }

  for (const door of ["http", "stdio"] as const) {
    const target = () => (door === "http" ? [url()] : [process.execPath, program, "--stdio"])

    it(`lists and calls over ${door}`, { timeout: 60_000 }, async () => {
      const listed = await inspect(target(), "--method", "tools/list")
      assert.deepStrictEqual(
        (listed["tools"] as ReadonlyArray<{ name: string }>).map((tool) => tool.name),
        ["list_shows", "get_show", "seat_the_party"]
      )
      const called = await inspect(
        target(),
        "--method",
        "tools/call",
        "--tool-name",
        "get_show",
        "--tool-args-json",
        `{"id":2}`
      )
      assert.deepStrictEqual(called["structuredContent"], { id: 2, title: "Late bill", remaining: 2 })
    })
  }
})

/**
 * `treadle-typegen` against real servers: ours and one on the official SDK, over HTTP and stdio, from the sources and as
 * the program of an installed package.
 */
import { execFile, spawn, type ExecFileException } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import { scriptedChild, type ChildPeer } from "@treadle/testing"
import * as Effect from "effect/Effect"
import { boxOffice } from "../../../../examples/box-office/server.ts"
import { typegenCommand } from "../../src/command/TypegenCommand.ts"
import { connect } from "../../src/promise/index.ts"
import { discoverResult, getShow, listed } from "../fixtures.ts"
import { fixture, preload, Witness } from "../interop/serverProcess.ts"
import { endpointsOf } from "../typegen/generated.ts"

const packages = path.resolve(import.meta.dirname, "../../..")
const main = path.join(packages, "client/dist/bundle/command/main.js")
const official = fixture("sdk-v2")

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "treadle-typegen-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The command in this process. */
const run = async (...argv: ReadonlyArray<string>): Promise<Outcome> => {
  let [out, err] = ["", ""]
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) }
  const code = await Effect.runPromise(typegenCommand(argv, terminal))
  return { code, out, err }
}

/** A program as a process of its own. */
const start = (program: string, args: ReadonlyArray<string>, cwd = folder): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(program, args, { cwd }, (error: ExecFileException | null, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    )
  })

/** A server on the official SDK that listens, until the function is through. */
const withOfficial = async (use: (url: string) => Promise<void>): Promise<void> => {
  const witness = new Witness()
  const child = spawn(process.execPath, ["--import", preload, official, "http"], { stdio: ["pipe", "ignore", "pipe"] })
  child.stderr.setEncoding("utf8").on("data", witness.read)
  const { port } = await Effect.runPromise(witness.until((said) => said.port > 0))
  await use(`http://127.0.0.1:${port}/mcp`).finally(
    () => new Promise((resolve) => child.once("exit", resolve).stdin.end())
  )
}

const schemasOf = (text: string) =>
  [...endpointsOf(text)].map(([name, { shape }]) => [name, shape.inputSchema, shape.outputSchema])

describe("treadle-typegen", () => {
  it("writes the contract of our own server over HTTP, and calls it by it", async () => {
    await using server = await McpNode.listen(boxOffice)
    const { code, err, out } = await run(server.url)
    assert.deepStrictEqual([code, err], [0, ""])
    const [listShows, show, seat] = endpointsOf(out).values()
    assert(listShows && show && seat)
    assert.deepStrictEqual([listShows.name, show.name, seat.name], ["list_shows", "get_show", "seat_the_party"])
    await using client = await connect(server.url)
    assert.deepStrictEqual(await client.call(show)({ id: 1 }), { id: 1, title: "Evening bill", remaining: 12 })
    assert.deepInclude(await client.call(listShows)({ search: "Late" }), { id: 2, title: "Late bill", remaining: 2 })
    const full = await client.call(seat).settled({ id: 2, guests: ["A", "B", "C"] })
    assert(!full.ok)
    assert.deepInclude(full.error, { _tag: "SoldOut", id: 2, remaining: 2 })
    assert.instanceOf(full.error, Error)
    assert.include(out, "errors: [ShowNotFound, SoldOut],")
    assert.include(out, "export class SoldOut extends Schema.TaggedError<SoldOut>()")
    assert.include(out, 'limit: Arg.withDefault(Schema.Int, 10, "How many")')
  })

  it("writes the same contract of the official SDK's server over HTTP and over stdio", async () => {
    await withOfficial(async (url) => {
      const http = await run(url)
      const stdio = await run("--", process.execPath, official, "stdio")
      assert.deepStrictEqual([http.code, http.err], [0, ""])
      assert.deepStrictEqual([stdio.code, stdio.out], [0, http.out])
      assert.deepStrictEqual(
        schemasOf(http.out)
          .slice(0, 4)
          .map(([name]) => name),
        ["get_show", "ping", "steps", "wait"]
      )
      assert.deepStrictEqual(schemasOf(http.out)[0]?.[1], {
        type: "object",
        properties: { id: { type: "number" } },
        required: ["id"]
      })
    })
  })

  it("sends the headers it is given", async () => {
    const mcp = Mcp.make({ name: "box", version: "1" }).tool(getShow, async ({ id }) => ({ id, title: "Lear" }))
    const handler = McpNode.handler(mcp)
    const { createServer } = await import("node:http")
    const server = createServer((request, response) => {
      if (request.headers.authorization === "Bearer ada") handler(request, response)
      else response.writeHead(401).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    assert(typeof address === "object" && address !== null)
    const url = `http://127.0.0.1:${address.port}/mcp`
    const refused = await run(url)
    assert.strictEqual(refused.code, 1)
    assert.include(refused.err, "HTTP 401")
    assert.strictEqual((await run(url, "--header", "Authorization: Bearer ada")).code, 0)
    await handler.close()
    await new Promise((resolve) => server.close(resolve).closeAllConnections())
  })

  it("compares the file with --check and writes it without", async () => {
    const file = path.join(folder, "contract.ts")
    const program = ["--", process.execPath, official, "stdio"]
    const missing = await run("--check", "--out", file, ...program)
    assert.strictEqual(missing.code, 1)
    assert.include(missing.err, "contract.ts cannot be read; run the same without --check to write it")
    assert.deepStrictEqual(await run("--out", file, ...program), { code: 0, out: "", err: "" })
    assert.strictEqual((await run("--check", "--out", file, ...program)).code, 0)
    const text = readFileSync(file, "utf8")
    writeFileSync(file, `${text}\n`)
    const differs = await run("--check", "--out", file, ...program)
    assert.strictEqual(differs.code, 1)
    assert.include(differs.err, "contract.ts differs from what the server lists")
    assert.strictEqual(readFileSync(file, "utf8"), `${text}\n`)
    const nowhere = await run("--out", path.join(folder, "no", "c.ts"), ...program)
    assert.strictEqual(nowhere.code, 1)
    assert.include(nowhere.err, "cannot be written")
  })

  it("keeps standard output to the contract: notes, warnings and the log of the server go beside it", async () => {
    const odd = { ...listed("odd\u001b[2J", { a: { $ref: "https://x.example/s" } }), title: "Odd" }
    const script = (peer: ChildPeer, data: { discover: object; tools: ReadonlyArray<object> }) => {
      peer.log("started\n")
      peer.onLine(({ id, method }) =>
        peer.answer(id, method === "server/discover" ? data.discover : { resultType: "complete", tools: data.tools })
      )
    }
    const child = scriptedChild(script, { discover: discoverResult, tools: [odd, { name: "broken" }] })
    const { code, err, out } = await start(process.execPath, [main, "--", child.command, ...child.args])
    assert.strictEqual(code, 0)
    assert.include(err, "started\n")
    assert.include(err, 'The tool "broken" is left out')
    assert.include(err, 'treadle-typegen: "odd\\u001b[2J": input.a: "$ref": "https://x.example/s" is not understood')
    assert.notInclude(err + out, "\u001b")
    assert.deepStrictEqual([...endpointsOf(out).keys()], ["odd\u001b[2J"])
    assert.include(out, "a: Arg.optional(Schema.Unknown)")
  })

  it("says how to call it, and what went wrong", async () => {
    assert.include((await run("--help")).out, "treadle-typegen <url>")
    assert.deepStrictEqual(await run("--version"), { code: 0, out: "0.1.0\n", err: "" })
    const wrong = await run("--loud")
    assert.deepStrictEqual([wrong.code, wrong.out], [2, ""])
    assert.include(wrong.err, "Unknown option '--loud'")
    const gone = await run("--", "no-such-program-here")
    assert.deepStrictEqual([gone.code, gone.out], [1, ""])
    assert.include(gone.err, "treadle-typegen: server/discover at no-such-program-here: cannot start")
  })

  it("runs as the program of an installed package", async () => {
    for (const name of ["protocol", "client"]) {
      const packed = await start("npm", ["pack", "--silent", "--pack-destination", folder], path.join(packages, name))
      assert.strictEqual(packed.code, 0, packed.err)
    }
    writeFileSync(path.join(folder, "package.json"), "{}")
    const tarballs = ["protocol", "client"].map((name) => `./treadle-${name}-0.1.0.tgz`)
    const quiet = ["--offline", "--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund"]
    const installed = await start("npm", ["install", ...quiet, ...tarballs])
    assert.strictEqual(installed.code, 0, installed.err)
    symlinkSync(path.resolve(packages, "../node_modules/effect"), path.join(folder, "node_modules/effect"))
    const { code, err, out } = await start("npx", ["--no-install", "treadle-typegen", "--", "node", official, "stdio"])
    assert.deepStrictEqual([code, err], [0, ""])
    assert.strictEqual(out, (await run("--", process.execPath, official, "stdio")).out)
    assert.strictEqual((await start("npx", ["--no-install", "treadle-typegen"])).code, 2)
  }, 300_000)
})

/**
 * A stdio server packed into one file: it answers, it takes its code cache, and it answers without.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { addCodeCache, bundle } from "./pack.mjs"

let folder = ""
let packed = ""
let telling = ""

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "packed-"))
  packed = path.join(folder, "bill.cjs")
  telling = path.join(folder, "telling.cjs")
  // Tells on standard error what became of the cache of every script that has one.
  writeFileSync(
    telling,
    `const vm = require("node:vm")
     vm.Script = class extends vm.Script {
       constructor(text, options) {
         super(text, options)
         if (options?.cachedData !== undefined) console.error(this.cachedDataRejected ? "refused" : "taken")
       }
     }`
  )
  await bundle(path.join(import.meta.dirname, "bill.ts"), packed, { conditions: ["@treadle/source"] })
  addCodeCache(packed)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const call = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "split_bill",
    arguments: { total: 90, people: 4 },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  }
})}\n`

const run = (...flags: ReadonlyArray<string>) => {
  const { stderr, stdout } = spawnSync(process.execPath, [...flags, "--require", telling, packed], {
    input: call,
    encoding: "utf8",
    timeout: 15_000
  })
  return { cache: stderr.trim(), each: JSON.parse(stdout).result.structuredContent.each }
}

describe("a server in one file", () => {
  it("takes its code cache and answers", () => {
    assert.deepStrictEqual(run(), { cache: "taken", each: 22.5 })
  })

  it("compiles its program where flags of V8 differ, and answers", () => {
    assert.deepStrictEqual(run("--no-opt"), { cache: "refused", each: 22.5 })
  })
})

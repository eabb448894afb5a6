/**
 * Packs a stdio server into one CommonJS file that starts fast: the program, and V8's code cache of what it ran once.
 *
 * `node pack.mjs bill.ts bill.cjs` packs for the Node that runs it. A Node of another version, or with other flags of
 * V8, does not take the cache; it compiles the program, as it would any other.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { build } from "esbuild"

// #region load
/** The file's own code: the program stands below it, a comment in each line, and above the program its cache. */
const load = `"use strict"
const { Script } = require("node:vm")
const text = require("node:fs").readFileSync(__filename, "latin1")
const cache = text.indexOf("\\n//") + 3
const program = text.indexOf("\\n//", cache)
const script = new Script(text.slice(program + 3).replaceAll("\\n//", "\\n"), {
  filename: __filename,
  cachedData: Buffer.from(text.slice(cache, program), "base64"),
  importModuleDynamically: (name) => import(name)
})
script.runInThisContext()(exports, require, module, __filename, __dirname)`
// #endregion

/** Runs a program as `load` does, and writes the cache of all that ran once it ends. */
const record = `
const [program, cache] = process.argv.slice(1)
const script = new (require("node:vm").Script)(require("node:fs").readFileSync(program, "latin1"))
process.on("exit", () => require("node:fs").writeFileSync(cache, script.createCachedData()))
script.runInThisContext()({}, require, { exports: {} }, program, ".")`

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

/** What the server is asked while its cache is made: its tools, and the handshakes of both eras. */
const requests = [
  ["server/discover", { _meta: meta }],
  ["tools/list", { _meta: meta }],
  ["tools/call", { name: "none", arguments: {}, _meta: meta }],
  ["initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "pack", version: "1.0.0" } }]
].map(([method, params], id) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)

/**
 * Bundles a server into one CommonJS file.
 *
 * @param entry the server's own file, JavaScript or TypeScript
 * @param outfile where the bundle goes
 * @param options further options of esbuild
 */
export const bundle = async (entry, outfile, options = {}) => {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    logLevel: "error",
    ...options
  })
}

/** Puts the code cache of a bundle into it, which runs the server once. */
export const addCodeCache = (file) => {
  const folder = mkdtempSync(path.join(tmpdir(), "pack-"))
  try {
    const program = path.join(folder, "program.txt")
    const cache = path.join(folder, "cache")
    const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "latin1")}\n})`
    writeFileSync(program, text, "latin1")
    execFileSync(process.execPath, ["-e", record, program, cache], {
      input: requests.join(""),
      stdio: ["pipe", "ignore", "inherit"],
      timeout: 30_000
    })
    writeFileSync(file, [load, readFileSync(cache, "base64"), ...text.split("\n")].join("\n//"), "latin1")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1]?.endsWith("pack.mjs")) {
  const [entry = "bill.ts", outfile = "bill.cjs"] = process.argv.slice(2)
  await bundle(entry, outfile)
  addCodeCache(outfile)
}

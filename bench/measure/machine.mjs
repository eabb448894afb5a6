// Where and with what the figures were measured.
import { existsSync, readFileSync } from "node:fs"
import { cpus } from "node:os"
import path from "node:path"
import { pins } from "./processes.mjs"

const bench = path.dirname(import.meta.dirname)

/** The version of a package as a server in bench/servers would get it: the nearest `node_modules` wins. */
const versionOf = (name) => {
  const found = [bench, path.dirname(bench)]
    .map((folder) => path.join(folder, "node_modules", name, "package.json"))
    .find((file) => existsSync(file))
  return found === undefined ? "not installed" : JSON.parse(readFileSync(found, "utf8")).version
}

const packages = [
  "@treadle/server",
  "@treadle/client",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server",
  "@modelcontextprotocol/node",
  "effect",
  "@effect/platform-node",
  "mcp-lite",
  "zod",
  "esbuild"
]

export const machine = () => ({
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cores: cpus().length,
  processor: cpus()[0]?.model ?? "unknown",
  pinned: pins,
  versions: Object.fromEntries(packages.map((name) => [name, versionOf(name)]))
})

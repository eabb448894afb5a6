/**
 * What the published packages offer to whom: an editor finds declarations, bundlers and web platforms the modules, which
 * they can leave out one by one, and Node few files, which may import modules of Node.
 */
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../..")
const names = ["protocol", "server", "client", "oauth", "agent"]

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(path.join(root, "packages", name, "package.json"), "utf8"))

const entries = names.flatMap((name) =>
  Object.entries(manifestOf(name).exports).flatMap(([subpath, target]) =>
    typeof target === "string" ? [] : [{ name, entry: `@treadle/${name}${subpath.slice(1)}`, target }]
  )
)

describe("an entry point", () => {
  it.each(entries)("$entry is the modules for all but Node, which has files of its own", ({ name, target }) => {
    const source = target["@treadle/source"] ?? ""
    const printed = (extension: string) => source.replace("./src/", "./dist/").replace(/\.ts$/, extension)
    assert.isTrue(existsSync(path.join(root, "packages", name, source)))
    // Conditions are taken in the order in which they stand.
    assert.deepStrictEqual(Object.entries(target), [
      ["@treadle/source", source],
      ["types", printed(".d.ts")],
      ["module", printed(".js")],
      ["node", target["node"]],
      ["default", printed(".js")]
    ])
    assert.match(target["node"] ?? "", /^\.\/dist\/bundle\//)
  })
})

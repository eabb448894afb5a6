/**
 * The pages: their code is that of programs that run, their links lead somewhere, and their commands exist.
 */
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { pages, synced } from "../../scripts/docs.mjs"

const root = path.resolve(import.meta.dirname, "../..")
const read = (page: string): string => readFileSync(path.join(root, page), "utf8")
const all: ReadonlyArray<string> = [...pages(), "AGENTS.md"]

describe("the pages", () => {
  for (const page of all) {
    it(`${page} has the code of the programs it names`, () => {
      assert.strictEqual(synced(read(page)), read(page))
    })

    it(`${page} has no TypeScript of its own`, () => {
      const fences = [...read(page).matchAll(/(<!-- source: \S+ -->\n)?```(ts|tsx|js)\n/g)]
      const own = fences.filter((fence) => fence[1] === undefined)
      assert.deepStrictEqual(own.length, 0)
    })

    it(`${page} links to files that exist`, () => {
      const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? "")
      const dead = links.filter((link) => !existsSync(path.join(root, path.dirname(page), link)))
      assert.deepStrictEqual(dead, [])
    })

    it(`${page} names tests that exist, where it links to one`, () => {
      const links = [...read(page).matchAll(/\]\((\S+\.test\.ts) "([^"]+)"\)/g)]
      const gone = links.filter(
        ([, file = "", name = ""]) =>
          !read(path.join(path.dirname(page), file)).includes(`"${name}"`)
      )
      assert.deepStrictEqual(
        gone.map(([link]) => link),
        []
      )
    })

    it(`${page} names npm scripts that exist`, () => {
      const scripts = JSON.parse(read("package.json")).scripts as Record<string, string>
      const named = [...read(page).matchAll(/npm (?:run )?([a-z]+)\b/g)].map((match) => match[1] ?? "")
      const own = named.filter((name) => !["ci", "init", "install", "pack", "pkg", "run", "workspaces"].includes(name))
      assert.deepStrictEqual(
        own.filter((name) => scripts[name] === undefined),
        []
      )
    })
  }
})

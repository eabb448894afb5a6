/**
 * The entry points that are files of their own beside the built file for Node take all that lies outside of them from
 * that file, so it has to have it: sources run without it, and what is built would not load.
 */
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as bundle from "../../packages/server/src/node/bundle.ts"

const sources = path.resolve(import.meta.dirname, "../../packages/server/src")
const folders = ["http-router", "http-api", "toolkit"]

/** The values that a file imports from outside its folder; the small door of an Effect application is built in. */
const takenBy = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^import \{([^}]*)\} from "\.\.\/(?!http-router\/)[^"]*"/gm)].flatMap(([, names = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => name.split(" as ")[0] ?? "")
  )

describe("the built file for Node", () => {
  it.each(folders)("has all values that %s takes from it", (folder) => {
    const files = readdirSync(path.join(sources, folder)).filter((file) => file.endsWith(".ts"))
    const taken = files.flatMap((file) => takenBy(readFileSync(path.join(sources, folder, file), "utf8")))
    assert.notStrictEqual(taken.length, 0)
    const missing = taken.filter((name) => !Object.hasOwn(bundle, name))
    assert.deepStrictEqual([...new Set(missing)], [])
  })
})

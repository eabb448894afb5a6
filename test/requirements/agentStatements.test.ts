/**
 * What agents promise, statement by statement: each is cited by the title of a test.
 */
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../..")

const folders = ["packages/agent/test", "packages/client/test", "packages/server/test"]

/** The numbers of the statements, both ends of each range included. */
const ranges: ReadonlyArray<readonly [first: number, last: number]> = [
  [1, 10],
  [12, 48],
  [66, 83],
  [87, 134],
  [141, 158],
  [164, 167],
  [171, 174],
  [180, 186]
]

/** What no test proves yet, and why. */
const open: { readonly [id: string]: string } = {}

const statements = ranges.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => `A${first + index}`)
)

/** The titles of tests and of their groups, also where a table comes before them. */
const titles = /(?:\b(?:it|describe)(?:\.\w+)*|\))\(\s*(?<quote>["'`])(?<title>.*?)\k<quote>,/gsu

const titlesIn = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(titles)].map(({ groups }) => groups?.["title"] ?? "")

const cited: ReadonlySet<string> = new Set(
  folders
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".test.ts"))
        .flatMap((file) => titlesIn(path.join(root, folder, file)))
    )
    .flatMap((title) => title.match(/\bA\d{1,3}\b/g) ?? [])
)

describe("a statement about agents", () => {
  it.each(statements.filter((id) => !Object.hasOwn(open, id)))("%s is cited by the title of a test", (id) => {
    assert.isTrue(cited.has(id), `name a test of the agent, the client or the server with ${id}`)
  })

  it.each(Object.entries(open))("%s is open, because %s; a test that proves it takes it off that list", (id) => {
    assert.isFalse(cited.has(id), `take ${id} off the list of what is open`)
  })
})

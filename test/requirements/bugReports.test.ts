/**
 * The public bug reports that concern a server or a schema: each is cited by the name of a test, or is not ours yet, with
 * the reason.
 */
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../..")

/** The cases, each with what it is about. */
const cases: Readonly<Record<string, string>> = {
  B003: "tools/call without arguments",
  B006: "a failing tool with an output schema",
  B007: "a union as the input of a tool",
  B011: "strict matching of Accept",
  B013: "a process that outlives its client",
  B015: "wrong arguments as a protocol error",
  B016: "an unknown session",
  B017: "GET where there is no stream",
  B021: "members with defaults published as required",
  B022: "lists without items",
  B024: "characters on the border of two chunks",
  B027: "browsers and CORS",
  B034: "structured content without text",
  B037: "a tool that runs on after its client left",
  B039: "methods that are not advertised",
  B041: "version negotiation",
  B042: "quiet streams that are closed on the way",
  B043: "answers to notifications",
  B044: "parameters of Content-Type",
  B046: "big bodies",
  B049: "malformed requests that are dropped",
  B053: "ids of every kind",
  B055: "sessions that are never removed",
  B063: "readers that go away",
  B066: "big messages",
  B069: "marks and line ends on stdio",
  B071: "rebinding",
  B074: "missing or disagreeing headers",
  B076: "names outside ASCII",
  B084: "an old client at a new server",
  B085: "a second stream while the first hangs",
  B087: "several processes behind a balancer",
  B088: "listen requests",
  B090: "rounds of input",
  B096: "recursive and deep schemas",
  B099: "values without a JSON form",
  B102: "the public address behind a proxy"
}

/** Those that no test can show yet. */
const notYet: Readonly<Record<string, string>> = {
  B102: "no door publishes resource metadata or makes a challenge of its own yet"
}

/** Where tests of the server and of schemas are, and the suites they share. */
const folders = ["packages/protocol/test", "packages/server/test", "packages/testing/src"]

const cited = new Set(
  folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => readFileSync(path.join(root, folder, file), "utf8").match(/\bB\d{3}\b/g) ?? [])
  )
)

describe("public bug reports", () => {
  it.each(Object.entries(cases).filter(([id]) => notYet[id] === undefined))("%s is cited by a test: %s", (id) => {
    assert.isTrue(cited.has(id), `name a test of the server with ${id}, or say in notYet why there is none`)
  })

  it("are not excused where they are cited, or are no case", () => {
    assert.deepStrictEqual(
      Object.keys(notYet).filter((id) => cited.has(id) || cases[id] === undefined),
      []
    )
  })
})

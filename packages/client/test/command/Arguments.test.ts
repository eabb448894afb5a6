import { assert, describe, it } from "@effect/vitest"
import { parseArguments } from "../../src/command/Arguments.ts"

const url = "https://box.example/mcp"
const plain = { _tag: "Write", out: undefined, check: false } as const

describe("the arguments of treadle-typegen", () => {
  it.each([
    [[url], { ...plain, source: { _tag: "Url", url, headers: {} } }],
    [
      [url, "--header", "Authorization: Bearer a:b", "--out", "c.ts", "--header", "x-one:1"],
      {
        ...plain,
        out: "c.ts",
        source: { _tag: "Url", url, headers: { Authorization: "Bearer a:b", "x-one": "1" } }
      }
    ],
    [
      ["--check", "--out", "c.ts", "--", "node", "server.js", "--out", "--"],
      {
        ...plain,
        out: "c.ts",
        check: true,
        source: { _tag: "Program", command: "node", args: ["server.js", "--out", "--"] }
      }
    ],
    [["--help", "--version"], { _tag: "Help" }],
    [["--version"], { _tag: "Version" }]
  ])("%j are read", (argv, asked) => {
    assert.deepEqual<unknown>(parseArguments(argv), asked)
  })

  it.each([
    [[], "give the URL of a server, or -- and the program to start"],
    [["--"], "after -- comes the program to start"],
    [[url, "--", "node"], `give either a URL or a program, not both: "${url}" stands before --`],
    [["--header", "a: b", "--", "node"], "--header is for a server with a URL"],
    [[url, url], "give one URL, not 2"],
    [[url, "--check"], "--check compares a file: name it with --out"],
    [[url, "--header", "no header"], '"no header" is no header; write --header "Name: value"'],
    [[url, "--loud"], "Unknown option '--loud'"]
  ])("%j are wrong, and it says why", (argv, problem) => {
    const asked = parseArguments(argv)
    assert(asked._tag === "Wrong")
    assert.include(asked.problem, problem)
  })

  it("a value that is a secret is not repeated", () => {
    const asked = parseArguments([url, "--header", "Authorization: Bearer s3cret\n"])
    assert(asked._tag === "Wrong")
    assert.notInclude(asked.problem, "s3cret")
  })
})

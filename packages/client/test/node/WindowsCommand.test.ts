import { assert, describe, it } from "@effect/vitest"
import { windowsCommand, type Startable } from "../../src/node/WindowsCommand.ts"

/** As that file system does, in any case. */
const files = new Set(
  [
    String.raw`C:\Program Files\nodejs\node.exe`,
    String.raw`C:\Program Files\nodejs\npx.cmd`,
    String.raw`C:\work\node_modules\.bin\box.cmd`,
    String.raw`C:\work\run.bat`
  ].map((file) => file.toLowerCase())
)

const place = {
  env: { Path: String.raw`C:\Windows;C:\Program Files\nodejs`, PATHEXT: ".COM;.EXE;.BAT;.cmd", ComSpec: "C:\\cmd.exe" },
  cwd: String.raw`C:\work`,
  isFile: (path: string) => files.has(path.toLowerCase())
}

const started = (command: string, args: ReadonlyArray<string> = []): Startable => {
  const startable = windowsCommand(command, args, place)
  assert.isObject(startable)
  return startable as Startable
}

/** What the interpreter makes of a line in which every quote is disarmed: it drops the carets. */
const interpreted = (line: string): string => {
  assert.notMatch(line, /(?<!\^)[%!"<>&|]/, "an armed mark")
  return line.replaceAll(/\^(.)/g, "$1")
}

/** How a program of the Microsoft runtime reads its command line. */
const argumentsOf = (line: string): ReadonlyArray<string> => {
  const out: Array<string> = []
  let current: string | undefined
  let quoted = false
  for (let at = 0; at < line.length; at++) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
    if (slashes > 0 && line[at + slashes] === '"') {
      current = (current ?? "") + "\\".repeat(slashes / 2)
      at += slashes
      if (slashes % 2 === 1) current += '"'
      else quoted = !quoted
    } else if (line[at] === '"') {
      quoted = !quoted
      current ??= ""
    } else if (line[at] === " " && !quoted) {
      if (current !== undefined) out.push(current)
      current = undefined
    } else current = (current ?? "") + line[at]
  }
  return current === undefined ? out : [...out, current]
}

const hostile = [
  "a b",
  'say "hi"',
  "%PATH%",
  "x&y",
  "",
  "\\",
  'end\\"',
  "a\\\\b\\",
  "^caret^",
  "!x! (y) | z > w < v; u, *?",
  "ünï😀"
]

describe("windowsCommand", () => {
  it("B014: finds a program by PATH and PATHEXT", () => {
    const node = String.raw`C:\Program Files\nodejs\node`
    assert.deepStrictEqual(started("node", ["x"]), { command: `${node}.EXE`, args: ["x"], verbatim: false })
    assert.strictEqual(started("node.exe").command, `${node}.exe`)
    assert.strictEqual(started(`${node}.exe`).command, `${node}.exe`)
  })

  it("B014: leaves the arguments of a program as they are", () => {
    assert.deepStrictEqual(started("node", hostile).args, hostile)
  })

  it("B014: leaves a program that is not found to fail under its own name", () => {
    assert.deepStrictEqual(started("nope", ["x"]), { command: "nope", args: ["x"], verbatim: false })
  })

  it("B014: gives a script every argument literally, through the interpreter", () => {
    const { args, command, verbatim } = started("npx", hostile)
    assert.strictEqual(command, "C:\\cmd.exe")
    assert.isTrue(verbatim)
    assert.deepStrictEqual(args.slice(0, 3), ["/d", "/s", "/c"])
    const line = args[3]?.slice(1, -1) ?? ""
    const [file, ...rest] = line.split(/(?<=npx\.cmd) /)
    assert.strictEqual(interpreted(file ?? ""), String.raw`C:\Program Files\nodejs\npx.cmd`)
    assert.deepStrictEqual(argumentsOf(interpreted(rest.join(""))), hostile)
  })

  it("B014: gives them to a script of npm so that they survive a second reading", () => {
    const line = started(String.raw`node_modules\.bin\box`, hostile).args[3]?.slice(1, -1) ?? ""
    const rest = line.slice(line.indexOf(" ") + 1)
    assert.deepStrictEqual(argumentsOf(interpreted(interpreted(rest))), hostile)
  })

  it("B014: refuses a line end in an argument of a script, which would end the command", () => {
    assert.include(String(windowsCommand("./run", ["a\nb"], place)), "is a script, and")
  })
})

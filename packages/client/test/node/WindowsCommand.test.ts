import { assert, describe, it } from "@effect/vitest"
import { windowsCommand, type Startable } from "../../src/node/WindowsCommand.ts"

/** As that file system does, in any case. */
const files = new Set(
  [
    String.raw`C:\Program Files\nodejs\node.exe`,
    String.raw`C:\Program Files\nodejs\npx.cmd`,
    String.raw`C:\work\node_modules\.bin\box.cmd`,
    String.raw`C:\work\run.bat`,
    String.raw`C:\work\say.cmd`,
    String.raw`C:\work\node_modules\box\cli.mjs`,
    String.raw`C:\work\node_modules\.bin\pbox.cmd`,
    String.raw`C:\work\node_modules\.bin\gone.cmd`,
    String.raw`C:\Users\me\npm\gbox.cmd`,
    String.raw`C:\Users\me\npm\node.exe`,
    String.raw`C:\Users\me\npm\node_modules\gbox\index.js`,
    String.raw`C:\Program Files\nodejs\node_modules\npm\bin\npx-cli.js`
  ].map((file) => file.toLowerCase())
)

/** What npm writes beside a package, for a program at this path from there. */
const npmShim = (target: string): string =>
  [
    "@ECHO off",
    "GOTO start",
    ":find_dp0",
    "SET dp0=%~dp0",
    "EXIT /b",
    ":start",
    "SETLOCAL",
    "CALL :find_dp0",
    String.raw`IF EXIST "%dp0%\node.exe" (`,
    String.raw`  SET "_prog=%dp0%\node.exe"`,
    ") ELSE (",
    '  SET "_prog=node"',
    ")",
    `endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\${target}" %*`
  ].join("\r\n")

const texts = new Map(
  Object.entries({
    [String.raw`C:\Program Files\nodejs\npx.cmd`]: [
      String.raw`SET "NODE_EXE=%~dp0\node.exe"`,
      String.raw`SET "NPM_PREFIX_JS=%~dp0\node_modules\npm\bin\npm-prefix.js"`,
      String.raw`SET "NPX_CLI_JS=%~dp0\node_modules\npm\bin\npx-cli.js"`,
      String.raw`FOR /F "delims=" %%F IN ('CALL "%NODE_EXE%" "%NPM_PREFIX_JS%"') DO (`,
      String.raw`  SET "NPM_PREFIX_NPX_CLI_JS=%%F\node_modules\npm\bin\npx-cli.js"`,
      ")",
      '"%NODE_EXE%" "%NPX_CLI_JS%" %*'
    ].join("\r\n"),
    [String.raw`C:\work\node_modules\.bin\box.cmd`]: npmShim(String.raw`..\box\cli.mjs`),
    [String.raw`C:\work\node_modules\.bin\gone.cmd`]: npmShim(String.raw`..\gone\cli.js`),
    [String.raw`C:\work\node_modules\.bin\pbox.cmd`]:
      String.raw`@IF EXIST "%~dp0\node.exe" ( "%~dp0\node.exe"  "%~dp0\..\box\cli.mjs" %*` +
      String.raw` ) ELSE ( @SET PATHEXT=%PATHEXT:;.JS;=;% & node  "%~dp0\..\box\cli.mjs" %* )`,
    [String.raw`C:\Users\me\npm\gbox.cmd`]: npmShim(String.raw`node_modules\gbox\index.js`),
    [String.raw`C:\work\say.cmd`]: '@echo %*\r\n@node "%~dp0\\..\\x.js" --flag %*'
  }).map(([file, text]) => [file.toLowerCase(), text])
)

const place = {
  env: { Path: String.raw`C:\Windows;C:\Program Files\nodejs`, PATHEXT: ".COM;.EXE;.BAT;.cmd", ComSpec: "C:\\cmd.exe" },
  cwd: String.raw`C:\work`,
  isFile: (path: string) => files.has(path.toLowerCase()),
  read: (path: string) => texts.get(path.toLowerCase())
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

  it("B014: resolves the shims of npx, npm and pnpm to the program that they start", () => {
    const node = String.raw`C:\Program Files\nodejs\node`
    const npx = started("npx", hostile)
    assert.isFalse(npx.verbatim)
    assert.strictEqual(npx.command, `${node}.exe`)
    assert.deepStrictEqual(npx.args, [String.raw`C:\Program Files\nodejs\node_modules\npm\bin\npx-cli.js`, ...hostile])
    for (const shim of ["box", "pbox.cmd"]) {
      const { args, command, verbatim } = started(`node_modules\\.bin\\${shim}`, hostile)
      assert.deepStrictEqual([command, verbatim], [`${node}.EXE`, false])
      assert.deepStrictEqual(args, [String.raw`C:\work\node_modules\box\cli.mjs`, ...hostile])
    }
    const global = started(String.raw`C:\Users\me\npm\gbox`, ["a\nb"])
    assert.deepStrictEqual(global, {
      command: String.raw`C:\Users\me\npm\node.exe`,
      args: [String.raw`C:\Users\me\npm\node_modules\gbox\index.js`, "a\nb"],
      verbatim: false
    })
  })

  it("B014: gives any other script every argument literally, through the interpreter", () => {
    const { args, command, verbatim } = started(".\\run", hostile)
    assert.strictEqual(command, "C:\\cmd.exe")
    assert.isTrue(verbatim)
    assert.deepStrictEqual(args.slice(0, 3), ["/d", "/s", "/c"])
    const line = args[3]?.slice(1, -1) ?? ""
    const [file, ...rest] = line.split(/(?<=run\.bat) /i)
    assert.strictEqual(interpreted(file ?? "").toLowerCase(), String.raw`c:\work\run.bat`)
    assert.deepStrictEqual(argumentsOf(interpreted(rest.join(""))), hostile)
  })

  it("B014: gives them to one that hands them on so that they survive a second reading", () => {
    for (const script of [".\\say", String.raw`node_modules\.bin\gone`]) {
      const { args, verbatim } = started(script, hostile)
      assert.isTrue(verbatim, script)
      const line = args[3]?.slice(1, -1) ?? ""
      const rest = line.slice(line.indexOf(" ") + 1)
      assert.deepStrictEqual(argumentsOf(interpreted(interpreted(rest))), hostile)
    }
  })

  it("B014: refuses a line end in an argument of a script, which would end the command", () => {
    assert.include(String(windowsCommand("./run", ["a\nb"], place)), "is a script, and")
  })
})

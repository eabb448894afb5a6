/**
 * How a program is started on Windows, where `npx` is a script (B014).
 *
 * The file is found by PATH and PATHEXT. A shim of npm, pnpm or npx is resolved to the program that it starts. Any other
 * script gets its arguments through the interpreter, each one escaped so that it arrives as it was given: nothing in it
 * is expanded, and nothing in it is a command.
 */
import { win32 } from "node:path"
import type { Variables } from "./ChildEnvironment.ts"

/** What to hand to `spawn`. */
export interface Startable {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The arguments are one command line already. */
  readonly verbatim: boolean
}

/** What the search of a program depends on. */
export interface WindowsPlace {
  /** The child's environment. */
  readonly env: Variables
  readonly cwd: string
  readonly isFile: (path: string) => boolean
  /** The text of a script, where it can be read. */
  readonly read: (path: string) => string | undefined
}

const marks = /[()\][%!^"`<>&|;, *?]/g

/** Takes from the interpreter's marks the meaning they have for it. */
const disarm = (text: string): string => text.replaceAll(marks, "^$&")

/** One argument in quotes, as programs read their command line: backslashes count only before a quote. */
const quote = (argument: string): string =>
  `"${argument.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, "$1$1")}"`

const variable = (env: Variables, name: string): string | undefined =>
  Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1]

const find = (command: string, { cwd, env, isFile }: WindowsPlace): string | undefined => {
  const endings = (variable(env, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((ending) => ending !== "")
  const directories = /[\\/:]/.test(command) ? [cwd] : (variable(env, "PATH") ?? "").split(";")
  const hasEnding = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()))
  for (const directory of directories) {
    const base = win32.resolve(directory, command)
    const found = [...(hasEnding ? [base] : []), ...endings.map((ending) => base + ending)].find(isFile)
    if (found !== undefined) return found
  }
  return undefined
}

/** A line that hands all arguments on to a program of Node: what the shims of npm, pnpm and npx come down to. */
const handsOn = /(?:"%\w+%"|"[^"\r\n]*\bnode\.exe"|\bnode)[ \t]+"([^"\r\n]+)"[ \t]+%\*/gi

/** The program that a shim starts, as a path, or `undefined` where the script is something else. */
const shimTarget = (file: string, text: string): string | undefined => {
  const named = [...text.matchAll(handsOn)].at(-1)?.[1]
  const name = named === undefined ? undefined : /^%(\w+)%$/.exec(named)?.[1]
  const path = name === undefined ? named : new RegExp(`SET "${name}=([^"\r\n]+)"`, "i").exec(text)?.[1]
  const below = path === undefined ? undefined : /^%(?:~dp0|dp0%)\\?([^%]+)$/i.exec(path)?.[1]
  return below === undefined ? undefined : win32.resolve(win32.dirname(file), below)
}

/** How to start what a shim starts, without the interpreter. */
const behindShim = (
  file: string,
  text: string,
  args: ReadonlyArray<string>,
  place: WindowsPlace
): Startable | undefined => {
  const target = shimTarget(file, text)
  if (target === undefined || !/\.[cm]?js$/i.test(target) || !place.isFile(target)) return undefined
  const beside = win32.join(win32.dirname(file), "node.exe")
  const node = place.isFile(beside) ? beside : (find("node", place) ?? "node")
  return { command: node, args: [target, ...args], verbatim: false }
}

/**
 * How to start a program.
 *
 * @returns what to spawn, or a sentence that says why a script cannot be given these arguments
 */
export const windowsCommand = (
  command: string,
  args: ReadonlyArray<string>,
  place: WindowsPlace
): Startable | string => {
  const file = find(command, place)
  if (file === undefined) return { command, args, verbatim: false }
  if (!/\.(?:cmd|bat)$/i.test(file)) return { command: file, args, verbatim: false }
  const text = place.read(file) ?? ""
  const direct = behindShim(file, text, args, place)
  if (direct !== undefined) return direct
  if (args.some((argument) => /[\r\n\0]/.test(argument))) {
    return `${file} is a script, and the arguments of a script cannot have line ends`
  }
  // A script that hands its arguments on has the interpreter read them once more.
  const again = text.includes("%*")
  const escape = again ? (text: string) => disarm(disarm(quote(text))) : (text: string) => disarm(quote(text))
  const line = [disarm(file), ...args.map(escape)].join(" ")
  return { command: variable(place.env, "COMSPEC") ?? "cmd.exe", args: ["/d", "/s", "/c", `"${line}"`], verbatim: true }
}

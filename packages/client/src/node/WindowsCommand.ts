/**
 * How a program is started on Windows, where `npx` is a script that only the command interpreter can run (B014).
 *
 * The file is found by PATH and PATHEXT. A script gets its arguments through the interpreter, each one escaped so that it
 * arrives as it was given: nothing in it is expanded, and nothing in it is a command.
 */
import { win32 } from "node:path"
import type { Environment } from "./ChildEnvironment.ts"

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
  readonly env: Environment
  readonly cwd: string
  readonly isFile: (path: string) => boolean
}

const marks = /[()\][%!^"`<>&|;, *?]/g

/** Takes from the interpreter's marks the meaning they have for it. */
const disarm = (text: string): string => text.replaceAll(marks, "^$&")

/** One argument in quotes, as programs read their command line: backslashes count only before a quote. */
const quote = (argument: string): string =>
  `"${argument.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, "$1$1")}"`

/** The scripts that npm writes pass their arguments through the interpreter once more. */
const isShim = (file: string): boolean => /node_modules[\\/]\.bin[\\/][^\\/]+\.cmd$/i.test(file)

const variable = (env: Environment, name: string): string | undefined =>
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
  if (args.some((argument) => /[\r\n\0]/.test(argument))) {
    return `${file} is a script, and the arguments of a script cannot have line ends`
  }
  const escape = isShim(file) ? (text: string) => disarm(disarm(quote(text))) : (text: string) => disarm(quote(text))
  const line = [disarm(file), ...args.map(escape)].join(" ")
  return { command: variable(place.env, "COMSPEC") ?? "cmd.exe", args: ["/d", "/s", "/c", `"${line}"`], verbatim: true }
}

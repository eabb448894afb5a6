/**
 * The environment of a child: a few harmless names of ours, and what its user gives. Nothing else of ours reaches it, so
 * no secret does (B008).
 */

import * as Redacted from "effect/Redacted"

/** Variables by name, as a process has them. */
export interface Variables {
  readonly [name: string]: string | undefined
}

/** Variables by name; `undefined` takes one away. No error that tells the child's words tells what is `Redacted`. */
export interface Environment {
  readonly [name: string]: string | Redacted.Redacted | undefined
}

const posix = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"]

const windows = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "USERNAME",
  "USERPROFILE"
]

/** What of an environment nobody may be told. */
export const secretsIn = (given: Environment): ReadonlyArray<string> =>
  Object.values(given).flatMap((value) => (Redacted.isRedacted(value) ? [Redacted.value(value)] : []))

/** Shells export functions as variables; a child that runs a shell would execute them. */
const isShellFunction = (value: string): boolean => value.startsWith("()")

/**
 * The variables of a child.
 *
 * @param ours the environment of this process
 * @param given wins over ours; `undefined` removes a variable
 * @param platform such as `linux` or `win32`, whose names compare without case
 */
export const childEnvironment = (ours: Variables, given: Environment, platform: string): Record<string, string> => {
  const fold = (name: string) => (platform === "win32" ? name.toUpperCase() : name)
  const inherited = new Set(platform === "win32" ? windows : posix)
  const out = new Map<string, readonly [string, string]>()
  for (const [name, value] of Object.entries(ours)) {
    if (value === undefined || !inherited.has(fold(name)) || isShellFunction(value)) continue
    out.set(fold(name), [name, value])
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) out.delete(fold(name))
    else out.set(fold(name), [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
  }
  return Object.fromEntries(out.values())
}

/**
 * The environment of a child: a few harmless names of ours, and what its user gives. Nothing else of ours reaches it, so
 * no secret does (B008).
 */

/** Variables by name; `undefined` takes one away. */
export interface Environment {
  readonly [name: string]: string | undefined
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

/** Shells export functions as variables; a child that runs a shell would execute them. */
const isShellFunction = (value: string): boolean => value.startsWith("()")

/**
 * The variables of a child.
 *
 * @param ours the environment of this process
 * @param given wins over ours; `undefined` removes a variable
 * @param platform such as `linux` or `win32`, whose names compare without case
 */
export const childEnvironment = (ours: Environment, given: Environment, platform: string): Record<string, string> => {
  const fold = (name: string) => (platform === "win32" ? name.toUpperCase() : name)
  const inherited = new Set(platform === "win32" ? windows : posix)
  const out = new Map<string, readonly [string, string]>()
  for (const [name, value] of Object.entries(ours)) {
    if (value === undefined || !inherited.has(fold(name)) || isShellFunction(value)) continue
    out.set(fold(name), [name, value])
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) out.delete(fold(name))
    else out.set(fold(name), [name, value])
  }
  return Object.fromEntries(out.values())
}

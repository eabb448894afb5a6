/**
 * Where logins are kept by default: among the state of this user's programs, by the convention of the platform.
 */
import { posix, win32 } from "node:path"

/** What the place depends on. */
export interface StatePlace {
  /** As `process.platform` says it. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home directory. */
  readonly home: string
}

/**
 * The directory: below `XDG_STATE_HOME` where that is an absolute path, else `~/.local/state`,
 * `~/Library/Application Support` on macOS, and `%LOCALAPPDATA%` on Windows.
 */
export const storeDirectory = ({ env, home, platform }: StatePlace): string => {
  if (platform === "win32") {
    return win32.join(env.LOCALAPPDATA ?? win32.join(home, "AppData", "Local"), "treadle", "oauth")
  }
  const given = env.XDG_STATE_HOME
  if (given !== undefined && posix.isAbsolute(given)) return posix.join(given, "treadle", "oauth")
  const state = platform === "darwin" ? ["Library", "Application Support"] : [".local", "state"]
  return posix.join(home, ...state, "treadle", "oauth")
}

// What the scripts share: where things are, and running a command to its end.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** The executable of a development dependency. */
export const bin = (name) => path.join(root, "node_modules", ".bin", name)

/** Runs a command with this terminal; ends the script with its exit code where that is not 0. */
export const run = (command, args, options = {}) => {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options })
  if (error !== undefined) console.error(`${command}: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

/** Installs the dependencies where they are missing. */
export const install = (options) => {
  if (existsSync(path.join(root, "node_modules", ".package-lock.json"))) return
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], options)
}

const native = path.join(root, "node_modules/@effect/tsgo-linux-x64/artifacts/typescript/7.0.2/tsc")

/** The type checker: the native one with Effect's diagnostics where this platform has it, else TypeScript itself. */
export const typescript = (args) => (existsSync(native) ? [native, args] : [bin("tsc"), args])

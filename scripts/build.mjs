// Builds every package: JavaScript with tsup in few files, declarations with TypeScript, one after another.
// `node scripts/build.mjs` builds all; `--if-needed` skips packages whose output is newer than their sources.
import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import path from "node:path"
import { printFunctions } from "./functions.mjs"
import { bin, root, run, typescript } from "./tools.mjs"

const packages = ["protocol", "server", "client", "oauth", "agent"]

const newest = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (latest, entry) => Math.max(latest, statSync(path.join(entry.parentPath ?? entry.path, entry.name)).mtimeMs),
      0
    )

const stamp = (folder) => path.join(folder, "dist", ".built")

const isBuilt = (folder) =>
  existsSync(stamp(folder)) &&
  statSync(stamp(folder)).mtimeMs >=
    Math.max(newest(path.join(folder, "src")), statSync(path.join(folder, "package.json")).mtimeMs)

const ifNeeded = process.argv.includes("--if-needed")
let stale = false
for (const name of packages) {
  const folder = path.join(root, "packages", name)
  stale ||= !ifNeeded || !isBuilt(folder)
  if (!stale) continue
  rmSync(path.join(folder, "dist"), { recursive: true, force: true })
  console.log(`building @treadle/${name}`)
  run(bin("tsup"), ["--config", "tsup.config.ts", "--silent"], { cwd: folder })
  run(...typescript(["-p", "tsconfig.build.json"]), { cwd: folder })
  printFunctions(path.join(folder, "dist"))
  run(process.execPath, ["-e", `require("fs").writeFileSync(${JSON.stringify(stamp(folder))}, "")`])
}

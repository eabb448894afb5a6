// `npm run check`: types with Effect's diagnostics, lint, format, structure and surface.
import { bin, install, run, typescript } from "./tools.mjs"

install()
run(...typescript(["-p", "tsconfig.json"]))
run(bin("oxlint"), ["--quiet"])
run(bin("oxfmt"), ["--check", "."])
run(bin("vitest"), ["run", "--config", "vitest.workspace.ts", "--project", "repository"])

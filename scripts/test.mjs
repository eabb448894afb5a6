// `npm test`: installs, checks, builds, and passes every test and every conformance scenario that is expected to pass.
import { buildExamples } from "./examples.mjs"
import { bin, install, run } from "./tools.mjs"

install()
run(process.execPath, ["scripts/check.mjs"])
run(process.execPath, ["scripts/build.mjs", "--if-needed"])
await buildExamples()
run(bin("vitest"), ["run", "--config", "vitest.workspace.ts", "--project", "!repository"])
run(process.execPath, ["scripts/conformance.mjs"])

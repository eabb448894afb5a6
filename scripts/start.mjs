// `npm start`: installs and builds what is missing, then runs the box office and its client.
// `npm start -- --once` ends after the demonstration; `npm start -- --stdio` serves standard input and output.
import path from "node:path"
import { buildExamples } from "./examples.mjs"
import { install, root, run } from "./tools.mjs"

install()
run(process.execPath, ["scripts/build.mjs", "--if-needed"])
await buildExamples()
run(process.execPath, [path.join(root, "examples/box-office/dist/main.js"), ...process.argv.slice(2)])

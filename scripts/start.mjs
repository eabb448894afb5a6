// `npm start`: installs and builds what is missing, then runs the box office and its client.
// `npm start -- --once` ends after the demonstration; `--port N` chooses the port; `--stdio` serves standard input and
// output. `npm start -- --protected [--once]` runs the protected box office instead, where a person logs in with a browser;
// `npm start -- --team [question]` asks the research team.
import { spawn } from "node:child_process"
import path from "node:path"
import { install, root, run } from "./tools.mjs"

// Standard output is the program's own: with --stdio it carries the protocol.
const aside = { stdio: ["inherit", 2, 2] }
console.error("installing and building what is missing…")
install(aside)
run(process.execPath, ["scripts/build.mjs", "--if-needed"], aside)
const { buildExamples } = await import("./examples.mjs")
await buildExamples()

const others = { "--protected": "protected-box-office", "--team": "research-team" }
const chosen = Object.keys(others).find((flag) => process.argv.includes(flag))
const example = chosen === undefined ? "box-office" : others[chosen]
const program = path.join(root, "examples", example, "dist/main.js")
const args = process.argv.slice(2).filter((argument) => argument !== chosen)
const child = spawn(process.execPath, [program, ...args], { stdio: "inherit" })
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal))
child.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === null ? 0 : 1)
})

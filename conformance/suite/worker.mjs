/**
 * Runs the command line of the conformance suite again and again in one process, between the runner and the suite:
 * a message is the arguments of one run, the answer is the code that it exits with.
 *
 * The suite takes a second of processor time to load and a tenth to load once more, and there are over a hundred
 * scenarios. Each run gets a fresh instance of the suite's own module, so no state of one reaches another.
 */
import * as fs from "node:fs"
import { register } from "node:module"

const suite = import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js")

if (!("globSync" in fs)) register("./hook.mjs", import.meta.url)

const exit = process.exit.bind(process)
process.once("disconnect", () => exit(0))
// What a run leaves behind must not end the next one; a run that breaks is one that does not answer.
process.on("uncaughtException", (error) => console.error(error))

let runs = 0
process.on("message", (args) => {
  process.argv = [process.execPath, suite, ...args]
  process.exit = (code) => {
    process.exit = () => {}
    process.send(code ?? 0)
  }
  import(`${suite}?run=${runs++}`).catch((error) => {
    console.error(error)
    process.send(1)
  })
})

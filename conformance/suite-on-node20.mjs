/**
 * Lets the conformance suite start on Node 20: `node --import ./suite-on-node20.mjs …/conformance/dist/index.js`.
 *
 * The suite imports `globSync` from `fs`, which came with Node 22, for a command that is not used here. A resolve hook
 * gives that one file an `fs` that has the name. This module is loaded twice: on the main thread it registers itself, on
 * the thread of the hooks it is the hook.
 */
import { register } from "node:module"
import { isMainThread } from "node:worker_threads"

const suite = "/@modelcontextprotocol/conformance/dist/index.js"

const fs = `
  export * from "node:fs"
  export { default } from "node:fs"
  export const globSync = () => { throw new Error("fs.globSync needs Node 22") }
`

export const resolve = (specifier, context, next) =>
  specifier === "fs" && context.parentURL?.endsWith(suite) === true
    ? { url: `data:text/javascript,${encodeURIComponent(fs)}`, shortCircuit: true }
    : next(specifier, context)

if (isMainThread) register(import.meta.url)

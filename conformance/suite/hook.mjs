/**
 * Lets the conformance suite start on Node 20. It imports `globSync` from `fs`, which came with Node 22, for a command
 * that is not used here; this resolve hook gives that one file an `fs` that has the name.
 */
const suite = /\/@modelcontextprotocol\/conformance\/dist\/index\.js(?:\?|$)/

const fs = `
  export * from "node:fs"
  export { default } from "node:fs"
  export const globSync = () => { throw new Error("fs.globSync needs Node 22") }
`

export const resolve = (specifier, context, next) =>
  specifier === "fs" && suite.test(context.parentURL ?? "")
    ? { url: `data:text/javascript,${encodeURIComponent(fs)}`, shortCircuit: true }
    : next(specifier, context)

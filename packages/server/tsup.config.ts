import { defineConfig, type Options } from "tsup"
import { filesForNode } from "../../tsup.base.ts"

/** Takes what lies outside an entry point's own folder from the one file, so that nothing is there twice. */
const fromServer: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "from-server",
  setup: (build) => {
    // The door of an Effect application is small, and no part of the one file.
    build.onResolve({ filter: /^\.\.\// }, ({ path }) =>
      path.startsWith("../http-router/") ? undefined : { path: "../server.js", external: true }
    )
  }
}

/**
 * One file for the root, `./http` and `./node`: a file that Node does not load costs nothing, and calls within one cost
 * less than between several. Entry points that need heavy modules of Effect are files of their own beside it.
 */
export default defineConfig([
  { ...filesForNode, entry: { server: "src/node/bundle.ts" }, splitting: false },
  {
    ...filesForNode,
    entry: {
      "http-router/index": "src/http-router/index.ts",
      "http-api/index": "src/http-api/index.ts",
      "toolkit/index": "src/toolkit/index.ts"
    },
    splitting: false,
    esbuildPlugins: [fromServer]
  }
])

import { defineConfig } from "tsup"
import { filesForNode } from "../../tsup.base.ts"

/** One entry a public module; what they share is split off into chunks. */
export default defineConfig({
  ...filesForNode,
  entry: {
    index: "src/index.ts",
    "node/index": "src/node/index.ts",
    "verify/index": "src/verify/index.ts"
  },
  splitting: true
})

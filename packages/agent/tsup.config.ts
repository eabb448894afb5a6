import { defineConfig } from "tsup"
import { filesForNode } from "../../tsup.base.ts"

/** One entry a public module; what they share is split off into chunks. */
export default defineConfig({
  ...filesForNode,
  entry: {
    index: "src/index.ts",
    "model/index": "src/model/index.ts",
    "node/index": "src/node/index.ts",
    "promise/index": "src/promise/index.ts",
    "test/index": "src/test/index.ts"
  },
  splitting: true
})

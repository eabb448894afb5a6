import { defineConfig } from "tsup"
import { filesForNode } from "../../tsup.base.ts"

/** One entry a public module; what they share is split off into chunks. */
export default defineConfig({
  ...filesForNode,
  entry: {
    index: "src/index.ts",
    "names/index": "src/names/index.ts",
    "node/index": "src/node/index.ts",
    "promise/index": "src/promise/index.ts",
    "toolkit/index": "src/toolkit/index.ts",
    "typegen/index": "src/typegen/index.ts",
    "command/main": "src/command/main.ts"
  },
  splitting: true
})

import { defineConfig } from "tsup"
import { filesForNode } from "../../tsup.base.ts"

/** One file for all subpaths: the declarations tell them apart. */
export default defineConfig({
  ...filesForNode,
  entry: { protocol: "src/bundle.ts" }
})

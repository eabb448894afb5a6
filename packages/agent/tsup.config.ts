import { defineConfig } from "tsup"

/**
 * One entry a public module; what they share is split off into chunks, so that Node loads few files. Bundlers get the
 * modules themselves, through the `module` condition.
 */
export default defineConfig({
  entry: {
    index: "src/index.ts",
    "model/index": "src/model/index.ts",
    "node/index": "src/node/index.ts",
    "promise/index": "src/promise/index.ts",
    "test/index": "src/test/index.ts"
  },
  outDir: "dist/bundle",
  format: "esm",
  target: "node20",
  platform: "neutral",
  external: [/^node:/, /^effect/, /^@treadle/],
  splitting: true,
  sourcemap: true,
  dts: false
})

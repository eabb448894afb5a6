import { defineConfig } from "tsup"

/**
 * One entry a public module; what they share is split off into chunks, so that Node loads few files. Bundlers get the
 * modules themselves, through the `module` condition.
 */
export default defineConfig({
  entry: {
    index: "src/index.ts",
    "names/index": "src/names/index.ts",
    "node/index": "src/node/index.ts",
    "promise/index": "src/promise/index.ts",
    "toolkit/index": "src/toolkit/index.ts",
    "typegen/index": "src/typegen/index.ts",
    "command/main": "src/command/main.ts"
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

import { defineConfig } from "tsup"

/** One entry a public module; what they share is split off into chunks. */
export default defineConfig({
  entry: { index: "src/index.ts", "node/index": "src/node/index.ts", "promise/index": "src/promise/index.ts" },
  format: "esm",
  target: "node20",
  platform: "neutral",
  external: [/^node:/, /^effect/, /^@treadle/],
  splitting: true,
  sourcemap: true,
  dts: false
})

import { defineConfig } from "tsup"

/** One file for all subpaths: a server loads few files, and the declarations tell the subpaths apart. */
export default defineConfig({
  entry: { protocol: "src/bundle.ts" },
  format: "esm",
  target: "node20",
  platform: "neutral",
  sourcemap: true,
  dts: false
})

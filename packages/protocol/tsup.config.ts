import { defineConfig } from "tsup"

/**
 * One file for all subpaths: Node loads few files, and the declarations tell the subpaths apart. Bundlers get the modules
 * themselves, through the `module` condition, and leave out what is not used.
 */
export default defineConfig({
  entry: { protocol: "src/bundle.ts" },
  outDir: "dist/bundle",
  format: "esm",
  target: "node20",
  platform: "neutral",
  sourcemap: true,
  dts: false
})

import type { Options } from "tsup"

/**
 * How files for Node are built: few of them, because Node pays for each file that it loads. Everything else takes the
 * modules that TypeScript prints beside them, and leaves out what is not used; `exports` of each package says who.
 */
export const filesForNode: Options = {
  outDir: "dist/bundle",
  format: "esm",
  target: "node20",
  platform: "neutral",
  external: [/^node:/, /^effect/, /^@treadle/],
  removeNodeProtocol: false,
  sourcemap: true,
  esbuildOptions: (options) => {
    // The sources are published too, and their maps find them there.
    options.sourcesContent = false
  },
  dts: false
}

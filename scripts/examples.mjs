// Builds the example programs to plain JavaScript beside their sources, over the built packages.
import path from "node:path"
import { root } from "./tools.mjs"

const programs = ["box-office/main.ts", "orders/main.ts", "protected-box-office/main.ts", "research-team/main.ts"]

export const buildExamples = async () => {
  const { build, stop } = await import("esbuild")
  for (const program of programs) {
    const folder = path.join(root, "examples", path.dirname(program))
    await build({
      entryPoints: [path.join(root, "examples", program)],
      outdir: path.join(folder, "dist"),
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "error"
    })
  }
  // Its service would stay for as long as this process does.
  await stop()
}

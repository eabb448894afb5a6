// Keeps the code in Markdown pages equal to the programs it is taken from.
//
// A fence after `<!-- source: path#region -->` holds that region of that file, or the whole file without its header
// comment. `node scripts/docs.mjs` writes the fences; `--check` only says which differ.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { root } from "./tools.mjs"

const fence = /<!-- source: ([^\s#]+)(?:#(\S+))? -->\n```(\w+)\n([\s\S]*?)```/g

const source = (file, region) => {
  const text = readFileSync(path.join(root, file), "utf8")
  if (region === undefined) return text.replace(/^\/\*\*[\s\S]*?\*\/\n/, "")
  const match = new RegExp(`// #region ${region}\\n([\\s\\S]*?)// #endregion`).exec(text)
  if (match === null) throw new Error(`${file} has no region ${region}`)
  return match[1]
}

export const pages = () => [
  "README.md",
  ...readdirSync(path.join(root, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
  ...readdirSync(path.join(root, "packages"))
    .map((name) => `packages/${name}/README.md`)
    .filter((page) => existsSync(path.join(root, page)))
]

/** The page with its fences taken anew. */
export const synced = (text) =>
  text.replaceAll(fence, (_, file, region, language) => {
    const mark = `<!-- source: ${file}${region === undefined ? "" : `#${region}`} -->`
    return `${mark}\n\`\`\`${language}\n${source(file, region)}\`\`\``
  })

if (process.argv[1]?.endsWith("docs.mjs")) {
  const differing = pages().filter((page) => {
    const text = readFileSync(path.join(root, page), "utf8")
    const next = synced(text)
    if (next === text) return false
    if (!process.argv.includes("--check")) writeFileSync(path.join(root, page), next)
    return true
  })
  for (const page of differing) console.log(page)
  if (process.argv.includes("--check") && differing.length > 0) process.exit(1)
}

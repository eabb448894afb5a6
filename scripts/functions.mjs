// Prints arrow functions as function expressions. V8 skips over a function expression until it is called, but reads an
// arrow function whole when it loads a file, so a server starts sooner, and a bundle of it does too.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import ts from "typescript"

const outer = new Set(["arguments", "super", "this", "new.target"])

/** Whether a node names what an arrow function has from outside of it, and a function has of its own. */
const readsOuter = (node) => {
  if (ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node)) return false
  if (node.kind === ts.SyntaxKind.ThisKeyword || node.kind === ts.SyntaxKind.SuperKeyword) return true
  if (ts.isMetaProperty(node) || (ts.isIdentifier(node) && outer.has(node.text))) return true
  return ts.forEachChild(node, readsOuter) ?? false
}

/** The changes that make a function expression of an arrow function; no line is added, so source maps stay right. */
const changesOf = (arrow, text) => {
  const { body, equalsGreaterThanToken: sign, modifiers, parameters } = arrow
  const start = modifiers?.end ?? arrow.getStart()
  const head = `${modifiers === undefined ? "" : " "}function `
  const concise = !ts.isBlock(body)
  return [
    ...(text.slice(start).trimStart().startsWith("(")
      ? [{ at: start, until: start, text: head }]
      : [
          { at: start, until: parameters[0].getStart(), text: `${head}(` },
          { at: parameters.end, until: parameters.end, text: ")" }
        ]),
    { at: sign.end - 2, until: sign.end, text: concise ? "{ return (" : "" },
    ...(concise ? [{ at: arrow.end, until: arrow.end, text: ") }" }] : [])
  ]
}

/** The same program with function expressions, but where an arrow function reads `this` or its like from outside. */
export const functionExpressions = (name, text) => {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  const changes = []
  const visit = (node) => {
    if (ts.isArrowFunction(node) && !(ts.forEachChild(node, readsOuter) ?? false))
      changes.push(...changesOf(node, text))
    ts.forEachChild(node, visit)
  }
  visit(source)
  changes.sort((a, b) => a.at - b.at)
  let out = ""
  let read = 0
  for (const { at, until, text: changed } of changes) {
    out += text.slice(read, at) + changed
    read = until
  }
  return out + text.slice(read)
}

/** Rewrites every JavaScript file below a folder. */
export const printFunctions = (folder) => {
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".js"))) {
    const at = path.join(folder, file)
    writeFileSync(at, functionExpressions(file, readFileSync(at, "utf8")))
  }
}

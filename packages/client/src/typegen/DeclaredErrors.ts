/**
 * The declared errors of a module: each class once, however many tools fail with it.
 */
import { call, layOut, text } from "./Code.ts"
import { typeName, type Names } from "./Names.ts"
import type { Field } from "./Shape.ts"
import { fieldsCode, type Naming } from "./ShapeCode.ts"
import type { DeclaredError } from "./ToolParts.ts"

/** Members that every error of Effect has in a form of its own. */
const ownMembers = new Set([
  "name",
  "message",
  "stack",
  "cause",
  "pipe",
  "toJSON",
  "toString",
  "asEffect",
  "constructor"
])

const mayBeClass = ({ name, optional, shape }: Field): boolean =>
  name === "message"
    ? shape._tag === "Primitive" && shape.name === "String" && !optional
    : !ownMembers.has(name) && !(name in Object.prototype)

export class DeclaredErrors {
  readonly #names: Names
  readonly #byContent = new Map<string, string>()
  readonly #texts: Array<string> = []

  constructor(names: Names) {
    this.#names = names
  }

  /** What is written of those that were named. */
  get texts(): ReadonlyArray<string> {
    return this.#texts
  }

  /** How an error is called; it is written when it is first asked for. */
  nameOf({ fields, tag }: DeclaredError, naming: Naming): string {
    const members = fieldsCode(fields, naming)
    const content = `${text(tag)} ${layOut(members, 0, 0)}`
    const known = this.#byContent.get(content)
    if (known !== undefined) return known
    const name = this.#names.take(typeName(tag, "Failed"), "Error")
    this.#byContent.set(content, name)
    if (fields.every(mayBeClass)) {
      const identifier = name === tag ? "" : text(name)
      const start = `export class ${name} extends Schema.TaggedError<${name}>(${identifier})`
      const code = call(start, text(tag), members)
      this.#texts.push(`${layOut(code, 0, 3)} {}\n`)
    } else {
      const start = `export const ${name} = `
      this.#texts.push(`${start}${layOut(call("Schema.TaggedStruct", text(tag), members), 0, start.length)}\n`)
    }
    return name
  }
}

/**
 * The definitions of a module: each once, those that others need before them, and each with its own name.
 */
import { comment, layOut } from "./Code.ts"
import type { Names } from "./Names.ts"
import { namedIn, type Definition, type Shape } from "./Shape.ts"
import { shapeCode, shapeType, type Naming } from "./ShapeCode.ts"

/** Definitions that need each other, directly or through others. */
interface Group {
  readonly members: ReadonlyArray<Definition>
  /** Whether one of them needs itself in the end. */
  readonly isCircular: boolean
}

/** The groups of all that the shapes name, each after those that it needs. */
const groupsOf = (shapes: ReadonlyArray<Shape>): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  const order = new Map<Definition, number>()
  const open: Array<Definition> = []
  const needs = new Map<Definition, ReadonlyArray<Definition>>()

  /** The place of the first definition still open that this one leads to. */
  const visit = (definition: Definition): number => {
    const at = order.size
    order.set(definition, at)
    open.push(definition)
    const needed = namedIn(definition.shape)
    needs.set(definition, needed)
    let first = at
    for (const next of needed) {
      if (!order.has(next)) first = Math.min(first, visit(next))
      else if (open.includes(next)) first = Math.min(first, order.get(next) ?? at)
    }
    if (first === at) {
      const members = open.splice(open.indexOf(definition))
      groups.push({ members, isCircular: members.length > 1 || needed.includes(definition) })
    }
    return first
  }
  for (const shape of shapes) for (const definition of namedIn(shape)) if (!order.has(definition)) visit(definition)
  return groups
}

/** A definition as it is written. */
interface Written {
  readonly definition: Definition
  readonly name: string
  readonly group: Group
  /** Whether its type is written out, because the compiler cannot find it or would have to look too deep. */
  readonly isTyped: boolean
}

/** How many definitions may be inside of each other before a type is written out: compilers look some 50 types deep. */
const deepest = 2

/** What is written of them, and how they are called. */
export interface Definitions {
  readonly texts: ReadonlyArray<string>
  readonly naming: Naming
}

export const definitionsOf = (shapes: ReadonlyArray<Shape>, names: Names): Definitions => {
  const written = new Map<Definition, Written>()
  const byContent = new Map<string, Written>()
  const content = new Map<Definition, number>()
  const contents = new Map<string, number>()
  const depths = new Map<Definition, number>()

  const contentOf = ({ members }: Group, definition: Definition): string => {
    const needed = members.flatMap(({ shape }) => namedIn(shape)).flatMap((one) => content.get(one) ?? [])
    const sources = members.map(({ source }) => source)
    return JSON.stringify([definition.source, sources.sort(), [...new Set(needed)].sort((a, b) => a - b)])
  }

  for (const group of groupsOf(shapes)) {
    const keys = group.members.map((definition) => [definition, contentOf(group, definition)] as const)
    const depth =
      1 + Math.max(0, ...group.members.flatMap(({ shape }) => namedIn(shape).map((one) => depths.get(one) ?? 0)))
    const isTyped = group.isCircular || depth > deepest
    for (const [definition, key] of keys) {
      const same = byContent.get(key)
      const one = same ?? { definition, name: names.take(definition.wanted, "Schema"), group, isTyped }
      byContent.set(key, one)
      written.set(definition, one)
      const number = contents.get(key) ?? contents.size
      contents.set(key, number)
      content.set(definition, number)
      depths.set(definition, isTyped ? 0 : depth)
    }
  }

  const nameOf = (definition: Definition): string => written.get(definition)?.name ?? "Schema.Unknown"
  const texts = [...byContent.values()].map((one) =>
    definitionText(one, { nameOf, isLater: (definition) => one.group.members.includes(definition) })
  )
  return { texts, naming: { nameOf, isLater: () => false } }
}

const definitionText = ({ definition, group, isTyped, name }: Written, naming: Naming): string => {
  const { identifier, notes, shape } = definition
  const later = group.isCircular ? naming.isLater : () => false
  const said = identifier === undefined ? shape.said : { identifier, ...shape.said }
  const code = shapeCode(shape, { ...naming, isLater: later }, said)
  const start = `export const ${name}${isTyped ? `: Schema.Codec<${name}>` : ""} = `
  const type = isTyped ? shapeType(shape, naming) : `typeof ${name}.Type`
  return [
    ...notes.map((words) => `// ${comment(words)}\n`),
    `${start}${layOut(code, 0, start.length)}\n`,
    `export type ${name} = ${type}\n`
  ].join("")
}

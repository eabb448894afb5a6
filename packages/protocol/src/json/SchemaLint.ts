/**
 * Finds where the JSON Schema of an Effect Schema would say less than its author wrote: a description that is lost, a
 * pattern that is not printed, a member that nothing describes. Each finding names the member and the cure.
 */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { isJsonObject, own, type Json, type JsonObject } from "./Json.ts"
import { definitionOf } from "./JsonSchema.ts"
import { pathText } from "./Problems.ts"

/** One loss. */
export interface SchemaFinding {
  /** Where, as `guests[0].name`; empty for the root. */
  readonly path: string
  /** What is lost and what to write instead. */
  readonly message: string
}

type Path = ReadonlyArray<PropertyKey>
type Annotations = { readonly [key: string]: unknown }

const textKeys = ["description", "title"] as const

/** The annotations a user put on a node; after checks they sit on the last one. */
const annotationsOf = (ast: SchemaAST.AST): Annotations =>
  (ast.checks?.at(-1)?.annotations ?? ast.annotations ?? {}) as Annotations

const cure = (ast: SchemaAST.AST): string => {
  if (ast._tag === "Number") return "use Schema.Finite or Schema.Int instead of Schema.Number"
  if (ast.encoding !== undefined) return "annotate what is sent: schema.pipe(Schema.annotateEncoded({ … }))"
  return "annotate the schema of the member itself"
}

const representationOf = (filter: Annotations) =>
  filter["representation"] as { readonly id?: string; readonly payload?: unknown } | undefined

const unpublishedPattern = (filter: Annotations): { readonly source: string; readonly message: string } | undefined => {
  const representation = representationOf(filter)
  if (representation?.id !== "effect/schema/isPattern") return undefined
  const { flags, source } = representation.payload as { readonly source: string; readonly flags: string }
  if (/^[dg]*uy?$/.test(flags)) return undefined
  const remedy = /[ims]/.test(flags)
    ? "only the u flag is; say the others in the pattern"
    : `write it with the u flag, /${source}/u`
  return { source, message: `the pattern /${source}/${flags} is not published: ${remedy}` }
}

/** The cure of a least length in code units, where a smaller one is published: JSON Schema counts code points. */
const codePointCure = (filter: Annotations): string | undefined => {
  const representation = representationOf(filter)
  const { minLength, minimum, maximum } = (representation?.payload ?? {}) as { readonly [key: string]: number }
  if (representation?.id === "effect/schema/isMinLength" && minLength !== undefined && minLength > 1) {
    return `Schema.isMinCodePoints(${minLength})`
  }
  return representation?.id === "effect/schema/isBetweenLength" && minimum !== undefined && minimum > 1
    ? `Schema.isBetweenCodePoints(${minimum}, ${maximum})`
    : undefined
}

const filters = (ast: SchemaAST.AST): ReadonlyArray<Annotations> => {
  const out: Array<Annotations> = []
  const visit = (check: SchemaAST.Filter<never> | SchemaAST.FilterGroup<never>) => {
    if (check._tag === "FilterGroup") check.checks.forEach(visit)
    else out.push((check.annotations ?? {}) as Annotations)
  }
  ast.checks?.forEach((check) => visit(check as SchemaAST.Filter<never>))
  return out
}

/** The printed nodes that may stand for one node of a schema. */
type Printed = ReadonlyArray<JsonObject>

/** The given nodes with their branches and with the definitions that they name. */
const withBranches = (root: JsonObject, nodes: ReadonlyArray<unknown>): Printed => {
  const found = new Set<JsonObject>()
  const add = (node: unknown): void => {
    if (!isJsonObject(node) || found.has(node)) return
    found.add(node)
    add(definitionOf(node, root))
    for (const key of ["anyOf", "oneOf", "allOf"]) {
      const branches = node[key]
      if (Array.isArray(branches)) branches.forEach(add)
    }
  }
  nodes.forEach(add)
  return [...found]
}

const everyNode = (node: Json): Printed =>
  typeof node !== "object" || node === null
    ? []
    : [...(isJsonObject(node) ? [node] : []), ...Object.values(node).flatMap(everyNode)]

const lostTexts = (annotations: Annotations, printed: Printed, remedy: string): ReadonlyArray<string> =>
  textKeys.flatMap((key) => {
    const value = annotations[key]
    return typeof value !== "string" || printed.some((node) => node[key] === value)
      ? []
      : [`its ${key} ${JSON.stringify(value)} is lost in JSON Schema: ${remedy}`]
  })

const lostChecks = (ast: SchemaAST.AST, printed: Printed): ReadonlyArray<string> =>
  filters(ast).flatMap((filter) => {
    const pattern = unpublishedPattern(filter)
    const remedy = ast._tag === "String" ? codePointCure(filter) : undefined
    return [
      ...(pattern === undefined || printed.some((node) => node["pattern"] === pattern.source) ? [] : [pattern.message]),
      ...(remedy === undefined ? [] : [`a smaller least length is published than is checked: use ${remedy}`])
    ]
  })

/** What a node of a schema loses, wherever it stands. */
const nodeLosses = (ast: SchemaAST.AST, printed: Printed): ReadonlyArray<string> => {
  const annotations = ast.annotations as Annotations | undefined
  const formless =
    ast._tag === "Declaration" &&
    ast.encoding === undefined &&
    annotations?.["toCodecJson"] === undefined &&
    annotations?.["toCodec"] === undefined
  return [
    ...lostTexts(annotationsOf(ast), printed, cure(ast)),
    ...lostChecks(ast, printed),
    ...(formless
      ? ["it has no JSON form, so nothing would describe it: give it one with Schema.decodeTo or Schema.link"]
      : [])
  ]
}

/** What cannot be told of a member because of its name. */
const nameLosses = (name: PropertyKey): ReadonlyArray<string> =>
  name in Object.prototype
    ? ["every JavaScript object has a member of this name, so its absence cannot be told: rename it"]
    : []

/** What a node loses as a member of a struct. */
const memberLosses = (ast: SchemaAST.AST, printed: Printed, side: "input" | "output"): ReadonlyArray<string> => {
  const context = ast.context
  const undefinable = ast._tag === "Union" && ast.types.some((type) => type._tag === "Undefined")
  return [
    ...(context?.isOptional === true && undefinable
      ? ["Schema.optional publishes and sends null: use Schema.optionalKey"]
      : []),
    ...(side === "input" && context?.constructorDefault !== undefined && ast._tag !== "Literal"
      ? ["a constructor default does not reach the caller: use Arg.withDefault"]
      : []),
    ...lostTexts((context?.annotations ?? {}) as Annotations, printed, "use annotate instead of annotateKey")
  ]
}

/**
 * Every loss between a schema and its printed form.
 *
 * @param schema the schema as written
 * @param printed what `printSchema` made of it
 * @param side whether a peer writes such values or reads them
 */
export const lintSchema = (
  schema: Schema.Constraint,
  printed: JsonObject,
  side: "input" | "output"
): ReadonlyArray<SchemaFinding> => {
  const findings: Array<SchemaFinding> = []
  const everywhere = everyNode(printed)
  const seen = new Set<SchemaAST.AST>()
  const report = (path: Path, messages: ReadonlyArray<string>) => {
    for (const message of messages) findings.push({ path: pathText(path), message })
  }
  /** Where a member is printed; anywhere, where that cannot be told. */
  const inside = (nodes: Printed, find: (node: JsonObject) => unknown): Printed => {
    const found = withBranches(printed, nodes.map(find))
    return found.length === 0 ? everywhere : found
  }

  const visit = (ast: SchemaAST.AST, nodes: Printed, path: Path): void => {
    if (seen.has(ast)) return
    seen.add(ast)
    report(path, nodeLosses(ast, nodes))
    for (const link of ast.encoding ?? []) visit(link.to, nodes, path)
    if (ast._tag === "Objects") visitMembers(ast, nodes, path)
    else if (ast._tag === "Arrays") visitItems(ast, nodes, path)
    else if (ast._tag === "Union") for (const type of ast.types) visit(type, nodes, path)
    else if (ast._tag === "Suspend") visit(ast.thunk(), nodes, path)
    else if (ast._tag === "Declaration") for (const type of ast.typeParameters) visit(type, everywhere, path)
  }

  const visitMembers = (ast: SchemaAST.Objects, nodes: Printed, path: Path) => {
    for (const { name, type } of ast.propertySignatures) {
      const members = inside(nodes, (node) => own(node["properties"], String(name)))
      report([...path, name], [...nameLosses(name), ...memberLosses(type, members, side)])
      visit(type, members, [...path, name])
    }
    for (const { type } of ast.indexSignatures) {
      const members = inside(nodes, (node) => node["additionalProperties"])
      visit(type, members, [...path, "*"])
    }
  }

  const visitItems = (ast: SchemaAST.Arrays, nodes: Printed, path: Path) => {
    ast.elements.forEach((element, index) => {
      const items = inside(nodes, ({ prefixItems }) => (Array.isArray(prefixItems) ? prefixItems[index] : undefined))
      visit(element, items, [...path, index])
    })
    for (const rest of ast.rest) {
      const items = inside(nodes, (node) => node["items"])
      visit(rest, items, [...path, 0])
    }
  }

  visit(schema.ast, withBranches(printed, [printed]), [])
  return findings
}

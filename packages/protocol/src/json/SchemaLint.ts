/**
 * Finds where the JSON Schema of an Effect Schema would say less than its author wrote: a description that is lost, a
 * pattern that is not printed, a member that nothing describes. Each finding names the member and the cure.
 */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { isJsonObject, own, type Json, type JsonObject } from "./Json.ts"
import { referenceName } from "./JsonSchema.ts"
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

const unflaggedPattern = (filter: Annotations): string | undefined => {
  const representation = filter["representation"] as { readonly id?: string; readonly payload?: unknown } | undefined
  if (representation?.id !== "effect/schema/isPattern") return undefined
  const { flags, source } = representation.payload as { readonly source: string; readonly flags: string }
  return /^[dg]*uy?$/.test(flags) ? undefined : source
}

/** The cure of a least length in code units, where a smaller one is published: JSON Schema counts code points. */
const codePointCure = (filter: Annotations): string | undefined => {
  const representation = filter["representation"] as { readonly id?: string; readonly payload?: unknown } | undefined
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
    const name = referenceName(node)
    if (name !== undefined) add(own(root["$defs"], name))
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
  const report = (path: Path, message: string) => findings.push({ path: pathText(path), message })

  /** Where a member is printed; anywhere, where that cannot be told. */
  const inside = (nodes: Printed, find: (node: JsonObject) => unknown): Printed => {
    const found = withBranches(printed, nodes.map(find))
    return found.length === 0 ? everywhere : found
  }

  const lintTexts = (annotations: Annotations, nodes: Printed, path: Path, remedy: string) => {
    for (const key of textKeys) {
      const value = annotations[key]
      if (typeof value === "string" && !nodes.some((node) => node[key] === value)) {
        report(path, `its ${key} ${JSON.stringify(value)} is lost in JSON Schema: ${remedy}`)
      }
    }
  }

  const lintNode = (ast: SchemaAST.AST, nodes: Printed, path: Path) => {
    lintTexts(annotationsOf(ast), nodes, path, cure(ast))
    for (const filter of filters(ast)) {
      const source = unflaggedPattern(filter)
      if (source !== undefined && !nodes.some((node) => node["pattern"] === source)) {
        report(path, `the pattern /${source}/ is not published: write it with the u flag, /${source}/u`)
      }
      const remedy = ast._tag === "String" ? codePointCure(filter) : undefined
      if (remedy !== undefined) report(path, `a smaller least length is published than is checked: use ${remedy}`)
    }
    const annotations = ast.annotations as Annotations | undefined
    if (
      ast._tag === "Declaration" &&
      ast.encoding === undefined &&
      annotations?.["toCodecJson"] === undefined &&
      annotations?.["toCodec"] === undefined
    ) {
      report(path, "it has no JSON form, so nothing would describe it: give it one with Schema.decodeTo or Schema.link")
    }
  }

  const lintMember = (ast: SchemaAST.AST, nodes: Printed, path: Path) => {
    const context = ast.context
    if (context?.isOptional === true && ast._tag === "Union" && ast.types.some((type) => type._tag === "Undefined")) {
      report(path, "Schema.optional publishes and sends null: use Schema.optionalKey")
    }
    if (side === "input" && context?.constructorDefault !== undefined && ast._tag !== "Literal") {
      report(path, "a constructor default does not reach the caller: use Arg.withDefault")
    }
    lintTexts((context?.annotations ?? {}) as Annotations, nodes, path, "use annotate instead of annotateKey")
  }

  const visit = (ast: SchemaAST.AST, nodes: Printed, path: Path): void => {
    if (seen.has(ast)) return
    seen.add(ast)
    lintNode(ast, nodes, path)
    for (const link of ast.encoding ?? []) visit(link.to, nodes, path)
    switch (ast._tag) {
      case "Objects":
        for (const { name, type } of ast.propertySignatures) {
          const members = inside(nodes, (node) => own(node["properties"], String(name)))
          lintMember(type, members, [...path, name])
          visit(type, members, [...path, name])
        }
        for (const { type } of ast.indexSignatures) {
          visit(
            type,
            inside(nodes, (node) => node["additionalProperties"]),
            [...path, "*"]
          )
        }
        return
      case "Arrays":
        ast.elements.forEach((element, index) => {
          visit(
            element,
            inside(nodes, (node) => (Array.isArray(node["prefixItems"]) ? node["prefixItems"][index] : undefined)),
            [...path, index]
          )
        })
        for (const rest of ast.rest)
          visit(
            rest,
            inside(nodes, (node) => node["items"]),
            [...path, 0]
          )
        return
      case "Union":
        for (const type of ast.types) visit(type, nodes, path)
        return
      case "Suspend":
        return visit(ast.thunk(), nodes, path)
      case "Declaration":
        for (const parameter of ast.typeParameters) visit(parameter, everywhere, path)
        return
      default:
        return
    }
  }

  visit(schema.ast, withBranches(printed, [printed]), [])
  return findings
}

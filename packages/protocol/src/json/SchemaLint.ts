/**
 * Finds where the JSON Schema of an Effect Schema would say less than its author wrote: a description that is lost, a
 * pattern that is not printed, a member that nothing describes. Each finding names the member and the cure.
 */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { JsonObject } from "./Json.ts"
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
  const text = JSON.stringify(printed)
  const seen = new Set<SchemaAST.AST>()
  const report = (path: Path, message: string) => findings.push({ path: pathText(path), message })

  const lintTexts = (annotations: Annotations, path: Path, remedy: string) => {
    for (const key of textKeys) {
      const value = annotations[key]
      if (typeof value === "string" && !text.includes(`"${key}":${JSON.stringify(value)}`)) {
        report(path, `its ${key} ${JSON.stringify(value)} is lost in JSON Schema: ${remedy}`)
      }
    }
  }

  const lintNode = (ast: SchemaAST.AST, path: Path) => {
    lintTexts(annotationsOf(ast), path, cure(ast))
    for (const filter of filters(ast)) {
      const source = unflaggedPattern(filter)
      if (source !== undefined && !text.includes(`"pattern":${JSON.stringify(source)}`)) {
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

  const lintMember = (ast: SchemaAST.AST, path: Path) => {
    const context = ast.context
    if (context?.isOptional === true && ast._tag === "Union" && ast.types.some((type) => type._tag === "Undefined")) {
      report(path, "Schema.optional publishes and sends null: use Schema.optionalKey")
    }
    if (side === "input" && context?.constructorDefault !== undefined && ast._tag !== "Literal") {
      report(path, "a constructor default does not reach the caller: use Arg.withDefault")
    }
    lintTexts((context?.annotations ?? {}) as Annotations, path, "use annotate instead of annotateKey")
  }

  const visit = (ast: SchemaAST.AST, path: Path): void => {
    if (seen.has(ast)) return
    seen.add(ast)
    lintNode(ast, path)
    for (const link of ast.encoding ?? []) visit(link.to, path)
    switch (ast._tag) {
      case "Objects":
        for (const member of ast.propertySignatures) {
          lintMember(member.type, [...path, member.name])
          visit(member.type, [...path, member.name])
        }
        for (const signature of ast.indexSignatures) visit(signature.type, [...path, "*"])
        return
      case "Arrays":
        ast.elements.forEach((element, index) => visit(element, [...path, index]))
        for (const rest of ast.rest) visit(rest, [...path, 0])
        return
      case "Union":
        for (const type of ast.types) visit(type, path)
        return
      case "Suspend":
        return visit(ast.thunk(), path)
      case "Declaration":
        for (const parameter of ast.typeParameters) visit(parameter, path)
        return
      default:
        return
    }
  }

  visit(schema.ast, [])
  return findings
}

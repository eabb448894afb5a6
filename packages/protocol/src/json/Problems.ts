/**
 * What is wrong with a value, one sentence a problem, each led by the path of the member it is about.
 */
import * as SchemaIssue from "effect/SchemaIssue"

/** A problem as Standard Schema libraries report it: a message and, where known, the path to the member. */
export interface StandardIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

const identifier = /^[A-Za-z_$][\w$]*$/

/** A path as one would write it in code: `guests[2].name`. */
export const pathText = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string => {
  let out = ""
  for (const segment of path) {
    const key = typeof segment === "object" ? segment.key : segment
    if (typeof key === "string" && identifier.test(key)) out += out === "" ? key : `.${key}`
    else out += `[${typeof key === "number" ? key : JSON.stringify(String(key))}]`
  }
  return out
}

const problem = (issue: StandardIssue): string => {
  const path = pathText(issue.path ?? [])
  return path === "" ? issue.message : `${path}: ${issue.message}`
}

/** The problems of a Standard Schema failure. */
export const standardProblems = (issues: ReadonlyArray<StandardIssue>): ReadonlyArray<string> => issues.map(problem)

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? "is missing" : SchemaIssue.defaultLeafHook(issue))
})

/** The problems of an Effect Schema failure. */
export const schemaProblems = (issue: SchemaIssue.Issue): ReadonlyArray<string> =>
  standardProblems(format(issue).issues)

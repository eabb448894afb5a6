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

/** How many problems of one value are told; the others are counted. */
const mostProblems = 100

/** The problems of a Standard Schema failure: the first hundred, and how many more there are. */
export const standardProblems = (issues: ReadonlyArray<StandardIssue>): ReadonlyArray<string> => {
  const told = issues.slice(0, mostProblems).map(problem)
  return issues.length === told.length ? told : [...told, `and ${issues.length - told.length} more`]
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? "is missing" : SchemaIssue.defaultLeafHook(issue))
})

/** A value with more members than this is read up to its first problem only. */
const mostMembers = 1000

const hasManyMembers = (value: unknown): boolean => {
  let left = mostMembers
  const open = [value]
  for (let next = open.pop(); typeof next === "object" && next !== null; next = open.pop()) {
    for (const member of Array.isArray(next) ? next : Object.values(next)) {
      if (--left < 0) return true
      if (typeof member === "object" && member !== null) open.push(member)
    }
  }
  return false
}

/**
 * How to read a value again that did not fit: for every problem, or for the first where it is so large that they may be
 * millions, which take seconds to find.
 */
export const problemOptions = (value: unknown): { readonly errors: "all" | "first" } => ({
  errors: hasManyMembers(value) ? "first" : "all"
})

/** The problems of an Effect Schema failure. */
export const schemaProblems = (issue: SchemaIssue.Issue): ReadonlyArray<string> =>
  standardProblems(format(issue).issues)

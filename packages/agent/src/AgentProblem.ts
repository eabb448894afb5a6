/**
 * What can be wrong with the definition of an agent, each with its place and the cure.
 */

/** One thing that is wrong; `describeProblem` says it in a sentence. */
export type AgentProblem =
  /** The agent's own fields, such as `name` or `limits.steps`. */
  | { readonly _tag: "InvalidField"; readonly field: string; readonly why: string }
  | { readonly _tag: "InvalidServerName"; readonly server: string; readonly why: string }
  | { readonly _tag: "DuplicateServer"; readonly server: string }
  | { readonly _tag: "InvalidUrl"; readonly server: string; readonly why: string }
  | { readonly _tag: "InvalidServerSetting"; readonly server: string; readonly setting: string; readonly why: string }
  /** A header that looks like a credential and holds its value instead of naming a secret. */
  | { readonly _tag: "InlineCredential"; readonly server: string; readonly header: string }
  /** The agent that is a server has a problem itself. */
  | { readonly _tag: "InAgent"; readonly server: string; readonly problem: AgentProblem }
  /** The servers together have all three tags. */
  | { readonly _tag: "Trifecta"; readonly servers: ReadonlyArray<string> }

const quoted = (name: string): string => JSON.stringify(name)

/** One problem in a sentence: where, what and what to do. */
export const describeProblem = (problem: AgentProblem): string => {
  switch (problem._tag) {
    case "InvalidField":
      return `${problem.field}: ${problem.why}.`
    case "InvalidServerName":
      return `server ${quoted(problem.server)}: ${problem.why}. Give it another name.`
    case "DuplicateServer":
      return `server ${quoted(problem.server)} is declared twice. Rename one.`
    case "InvalidUrl":
      return `server ${quoted(problem.server)}: ${problem.why}.`
    case "InvalidServerSetting":
      return `server ${quoted(problem.server)}, ${problem.setting}: ${problem.why}.`
    case "InlineCredential":
      return `server ${quoted(problem.server)}, header ${quoted(problem.header)}: it holds a credential itself. Name it instead, as {{secret:NAME}} or {{secret-file:PATH}}.`
    case "InAgent":
      return `in agent ${quoted(problem.server)}: ${describeProblem(problem.problem)}`
    case "Trifecta":
      return `servers ${problem.servers.map(quoted).join(", ")} together bring untrusted input, read what is sensitive and reach the outside. Leave one of them out, give it to a subagent, or say allowTrifecta: true.`
  }
}

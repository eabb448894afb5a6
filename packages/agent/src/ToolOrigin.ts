/**
 * Where a tool of a model's list comes from, as an annotation of the tool. Providers see nothing of it; a model of your
 * own may read it.
 */
import * as Context from "effect/Context"

export interface Origin {
  /** The name of the server in the agent's definition; empty for the agent's own tools. */
  readonly server: string
  /** The name of the tool, as its server calls it. */
  readonly tool: string
}

export class ToolOrigin extends Context.Service<ToolOrigin, Origin>()("@treadle/agent/ToolOrigin") {}

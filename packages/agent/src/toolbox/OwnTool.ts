/**
 * A tool of the agent itself: what its model may do beside the tools of servers.
 */
import type * as Effect from "effect/Effect"
import type { JsonObject } from "@treadle/protocol/json"
import type { Supervisor } from "../Supervisor.ts"
import type { ToolScope } from "../ToolScope.ts"
import type { Catalog } from "./Catalog.ts"
import type { Observation } from "./Observation.ts"

/** What a run gives to its own tools. */
export interface OwnToolContext {
  readonly catalog: Catalog
  readonly scope: ToolScope
  /** `_meta` of every request to a server. */
  readonly runMeta: JsonObject
  /** Made when it is first asked for. */
  readonly supervisor: () => Supervisor
}

/** One tool; it is the same for all runs, and is given the run when it is called. */
export interface OwnTool {
  /** Its name, such as `resource.read`. */
  readonly name: string
  /** The same in letters that providers take, such as `resource_read`. */
  readonly modelName: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** Whether it waits for something: then the same call again is no sign of going in circles. */
  readonly waits?: true
  /** @param args an object, whatever is in it */
  readonly run: (args: JsonObject, context: OwnToolContext) => Effect.Effect<Observation>
}

/** The own tools of many runs. */
export interface OwnTools {
  readonly all: ReadonlyArray<OwnTool>
  /** Tells these from others, by their names and schemas. */
  readonly key: string
}

export const ownTools = (all: ReadonlyArray<OwnTool>): OwnTools => ({
  all,
  key: JSON.stringify(all.map(({ inputSchema, name }) => [name, inputSchema]))
})

/** The name for models of a tool of the agent's own. */
export const ownModelName = (name: string): string => name.replaceAll(".", "_")

/** A member that is text and not blank. */
export const textArgument = (args: JsonObject, name: string): string | undefined => {
  const value = Object.hasOwn(args, name) ? args[name] : undefined
  return typeof value === "string" && value.trim() !== "" ? value : undefined
}

/**
 * A tool of the agent itself: what its model may do beside the tools of servers.
 */
import type * as Effect from "effect/Effect"
import type { JsonObject } from "@treadle/protocol/json"
import type { Observation } from "./Observation.ts"

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
  readonly run: (args: JsonObject) => Effect.Effect<Observation>
}

/** The name for models of a tool of the agent's own. */
export const ownModelName = (name: string): string => name.replaceAll(".", "_")

/** A member that is text and not blank. */
export const textArgument = (args: JsonObject, name: string): string | undefined => {
  const value = Object.hasOwn(args, name) ? args[name] : undefined
  return typeof value === "string" && value.trim() !== "" ? value : undefined
}

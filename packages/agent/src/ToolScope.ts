/**
 * Which servers a run may reach. A child gets what its parent has or less, never more.
 */
import * as Result from "effect/Result"

/** All servers of the agent, or those that are named. */
export type ToolScope = "all" | ReadonlySet<string>

const has = (scope: ToolScope, server: string): boolean => scope === "all" || scope.has(server)

/** What both admit. */
const intersect = (one: ToolScope, other: ToolScope): ToolScope =>
  one === "all" ? other : other === "all" ? one : new Set([...one].filter((server) => other.has(server)))

/**
 * The scope of a child.
 *
 * @param parent what its parent may reach
 * @param asked the servers that it shall have; nothing for those of the parent, an empty list for none
 * @param known the servers of the agent
 * @returns the scope, or the names that it may not have
 */
const narrow = (
  parent: ToolScope,
  asked: ReadonlyArray<string> | undefined,
  known: ReadonlyArray<string>
): Result.Result<ToolScope, ReadonlyArray<string>> => {
  if (asked === undefined) return Result.succeed(parent)
  const refused = asked.filter((server) => !known.includes(server) || !has(parent, server))
  return refused.length > 0 ? Result.fail(refused) : Result.succeed(intersect(parent, new Set(asked)))
}

/** What a run may reach, and what its children may. */
export const ToolScope = { has, narrow }

/**
 * Names under which models see the tools of several servers: `mcp__<server>__<tool>`, in the letters and the length that
 * all providers take, one for each tool and back. Pure: names follow from the list alone, in whatever order it comes.
 */
import { hashOf } from "./NameHash.ts"

/** One tool of one server, both as they call themselves. */
export interface ToolEntry {
  /** The name that the application gave to the server. */
  readonly server: string
  /** The name of the tool as its server lists it; any string. */
  readonly tool: string
}

/** The names of a list of tools for models. */
export interface ToolNames {
  /**
   * The name for models. A tool that is not in the list has one as well, which is no name of the list.
   *
   * @param server as in the list
   * @param tool as in the list
   * @returns 1 to 64 of `A-Z a-z 0-9 _ -`
   */
  readonly toModel: (server: string, tool: string) => string
  /** The tool that a model means; undefined for a name that is none of the list, which models make up at times. */
  readonly fromModel: (name: string) => ToolEntry | undefined
}

/** What OpenAI, Anthropic and Google take as the name of a function. */
const longest = 64

/** Rounds of hashes before names are counted; one nearly always does. */
const rounds = 8

const keyOf = (server: string, tool: string): string => `${server.length}:${server}${tool}`

const fold = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/gu, "_")

const plainName = (server: string, tool: string): string => `mcp__${fold(server)}__${fold(tool)}`

/** Whether the plain name can be read back: nothing was folded, and the first `__` after the prefix ends the server. */
const isExact = (server: string, tool: string): boolean =>
  fold(server) === server && fold(tool) === tool && !server.includes("__") && !server.endsWith("_")

const withSuffix = (name: string, suffix: string): string => `${name.slice(0, longest - suffix.length - 1)}_${suffix}`

const hashed = (server: string, tool: string, round: number): string =>
  withSuffix(plainName(server, tool), hashOf(keyOf(server, tool), round))

interface Wish extends ToolEntry {
  readonly key: string
  readonly plain: string
}

const groupBy = (wishes: ReadonlyArray<Wish>, name: (wish: Wish) => string): Map<string, Array<Wish>> => {
  const groups = new Map<string, Array<Wish>>()
  for (const wish of wishes) {
    const group = groups.get(name(wish))
    if (group === undefined) groups.set(name(wish), [wish])
    else group.push(wish)
  }
  return groups
}

/** Of those who want one plain name: who is alone gets it, or who reads back from it. Two cannot. */
const plainOwner = ([first, ...others]: ReadonlyArray<Wish>): Wish | undefined =>
  others.length === 0 ? first : [first, ...others].find((wish) => wish !== undefined && isExact(wish.server, wish.tool))

/** Gives each a name that is free. Two that would share one both go on to the next round. */
const giveHashed = (waiting: ReadonlyArray<Wish>, taken: Map<string, Wish>): void => {
  let left = waiting
  for (let round = 0; round < rounds && left.length > 0; round++) {
    const next: Array<Wish> = []
    for (const [name, group] of groupBy(left, ({ server, tool }) => hashed(server, tool, round))) {
      const [only] = group
      if (only !== undefined && group.length === 1 && !taken.has(name)) taken.set(name, only)
      else next.push(...group)
    }
    left = next
  }
  const counted = left.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  let count = 0
  for (const wish of counted) {
    let name: string
    do name = withSuffix(wish.plain, String(++count))
    while (taken.has(name))
    taken.set(name, wish)
  }
}

/**
 * Names for models. Letters that providers refuse become `_`. Where two tools would then share a name, or a name is longer
 * than 64, it ends in a hash of server and tool; a tool whose own name needs no change keeps it. A name depends on the
 * tools that want the same one, and on no other.
 *
 * @param entries tools of all servers in any order; the same one twice counts once
 *
 * @example
 * ```ts
 * import { makeToolNames } from "@treadle/client/names"
 *
 * const names = makeToolNames([
 *   { server: "kb", tool: "pages.search" },
 *   { server: "kb", tool: "read" }
 * ])
 *
 * names.toModel("kb", "pages.search") // => "mcp__kb__pages_search"
 * names.fromModel("mcp__kb__pages_search") // => { server: "kb", tool: "pages.search" }
 * names.fromModel("mcp__kb__write") // => undefined
 * ```
 */
export const makeToolNames = (entries: ReadonlyArray<ToolEntry>): ToolNames => {
  const wishes = new Map<string, Wish>()
  for (const { server, tool } of entries) {
    const key = keyOf(server, tool)
    wishes.set(key, { key, plain: plainName(server, tool), server, tool })
  }
  const taken = new Map<string, Wish>()
  const waiting: Array<Wish> = []
  for (const [plain, group] of groupBy([...wishes.values()], (wish) => wish.plain)) {
    const owner = plain.length > longest ? undefined : plainOwner(group)
    if (owner !== undefined) taken.set(plain, owner)
    waiting.push(...group.filter((wish) => wish !== owner))
  }
  giveHashed(waiting, taken)

  const names = new Map<string, string>()
  for (const [name, { key }] of taken) names.set(key, name)
  const unlisted = (server: string, tool: string): string => {
    const plain = plainName(server, tool)
    if (plain.length <= longest && !taken.has(plain)) return plain
    for (let round = 0; ; round++) {
      const name = hashed(server, tool, round)
      if (!taken.has(name)) return name
    }
  }
  return {
    toModel: (server, tool) => names.get(keyOf(server, tool)) ?? unlisted(server, tool),
    fromModel: (name) => {
      const wish = taken.get(name)
      return wish === undefined ? undefined : { server: wish.server, tool: wish.tool }
    }
  }
}

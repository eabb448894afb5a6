/**
 * The tools of a served thing: found by name, listed by who may see them. A list is printed once for each set of tools
 * that some caller sees, and kept.
 */
import type * as Context from "effect/Context"
import type { ParamHeader } from "@treadle/protocol/http"
import type { ToolHandler } from "../handler/ToolHandler.ts"
import { listReply, listTtl } from "../reply/ListReply.ts"
import type { Revision } from "@treadle/protocol/era"
import type { Dress } from "../envelope/Dress.ts"

/** A tool with the services its handler needs. */
export interface ServedTool {
  readonly handler: ToolHandler
  readonly services: Context.Context<never>
}

const noHeaders: ReadonlyArray<ParamHeader> = []

/** How many printed lists are kept: one for each set of visible tools. */
const keptLists = 64

const isVisible = ({ visible }: ToolHandler, context: unknown): boolean =>
  visible === undefined || Boolean(visible(context as never))

export class ToolTable {
  readonly #tools: ReadonlyMap<string, ServedTool>
  readonly #guarded: ReadonlyArray<ToolHandler>
  readonly #lists = new Map<string, string>()

  constructor(tools: ReadonlyArray<ServedTool>) {
    this.#tools = new Map(tools.map((tool) => [tool.handler.name, tool]))
    this.#guarded = tools.flatMap(({ handler }) => (handler.visible === undefined ? [] : [handler]))
  }

  get size(): number {
    return this.#tools.size
  }

  /**
   * The arguments of a tool that headers repeat; none where the caller does not see it, so that nothing tells it from a
   * tool that is not there.
   */
  headers(name: string, context: unknown): ReadonlyArray<ParamHeader> {
    const handler = this.#tools.get(name)?.handler
    if (handler === undefined || handler.headers.length === 0) return noHeaders
    try {
      return isVisible(handler, context) ? handler.headers : noHeaders
    } catch {
      // The call asks again, and reports what the author's function throws.
      return noHeaders
    }
  }

  /** The tool of this name, where the caller sees it. */
  find(name: string, context: unknown): ServedTool | undefined {
    const tool = this.#tools.get(name)
    return tool !== undefined && isVisible(tool.handler, context) ? tool : undefined
  }

  /**
   * The printed list for a caller.
   *
   * @param revision whom it is printed for
   * @param print dresses the neutral result; called when this set of tools is listed for the first time
   */
  list(context: unknown, revision: Revision, print: Dress["result"]): string {
    const hidden = new Set(this.#guarded.filter((handler) => !isVisible(handler, context)))
    const key = revision.version + this.#guarded.map((handler) => (hidden.has(handler) ? "0" : "1")).join("")
    const kept = this.#lists.get(key)
    if (kept !== undefined) return kept
    const entries = [...this.#tools.values()].flatMap(({ handler }) => (hidden.has(handler) ? [] : [handler.listing]))
    const cacheScope = this.#guarded.length === 0 ? "public" : "private"
    const text = print(listReply("tools", entries, { ttlMs: listTtl, cacheScope }), revision)
    if (this.#lists.size >= keptLists) this.#lists.delete(this.#lists.keys().next().value ?? "")
    this.#lists.set(key, text)
    return text
  }
}

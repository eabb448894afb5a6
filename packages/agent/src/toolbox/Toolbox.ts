/**
 * All tools that one run sees: those of the servers in its scope, and its own. It finds what a model calls, and gives
 * models the list.
 */
import * as Effect from "effect/Effect"
import * as AiTool from "effect/ai/Tool"
import type { WithHandler } from "effect/ai/Toolkit"
import { nearestNames, type JsonObject } from "@treadle/protocol/json"
import { ToolOrigin, type Origin } from "../ToolOrigin.ts"
import { ToolScope } from "../ToolScope.ts"
import { cutText } from "../Text.ts"
import type { ServerTool } from "./Catalog.ts"
import { FailuresInRow } from "./FailuresInRow.ts"
import { modelSchema } from "./ModelSchema.ts"
import type { Observation } from "./Observation.ts"
import type { OwnTool, OwnToolContext, OwnTools } from "./OwnTool.ts"

/** A tool as models are told of it. */
type ModelTool = ReturnType<typeof modelTool>

type ModelToolRecord = Record<string, ModelTool>

/** What models are given. The loop runs their calls, so no handler of it is ever asked. */
export type ModelTools = WithHandler<ModelToolRecord>

/** What a name for models stands for. */
export type Found =
  | { readonly _tag: "Server"; readonly tool: ServerTool }
  | { readonly _tag: "Own"; readonly tool: OwnTool }

/** Characters of one tool's description. */
const longestDescription = 10_000

const modelTool = (name: string, description: string | undefined, parameters: JsonObject, origin: Origin) =>
  AiTool.dynamic(name, {
    parameters,
    ...(description === undefined ? {} : { description: cutText(description, longestDescription, "… [truncated]") })
  }).annotate(ToolOrigin, origin)

const toolsOf = (tools: ModelToolRecord): ModelTools => ({
  tools,
  handle: () => Effect.die("The loop of an agent runs the calls of its model itself.")
})

/** Lists for models of one catalog, by what is in them: runs with the same tools share one. */
export class ModelToolLists {
  readonly #lists = new Map<string, ModelTools>()

  /** @param key tells lists apart @param make makes it */
  of(key: string, make: () => ModelToolRecord): ModelTools {
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    if (this.#lists.size >= 16) this.#lists.clear()
    const list = toolsOf(make())
    this.#lists.set(key, list)
    return list
  }
}

const none: ReadonlySet<string> = new Set()

export class Toolbox {
  readonly #lists: ModelToolLists
  readonly #own: OwnTools
  readonly #context: OwnToolContext
  /** Tools and servers that failed in a way that makes them useless for this run. */
  #dropped = none
  #droppedServers = none
  /** Servers that broke down. */
  readonly breakdowns = new FailuresInRow()
  /** Tools, by their names for models, that took no arguments that they were given. */
  readonly refusals = new FailuresInRow()

  constructor(lists: ModelToolLists, own: OwnTools, context: OwnToolContext) {
    this.#lists = lists
    this.#own = own
    this.#context = context
  }

  get scope(): ToolScope {
    return this.#context.scope
  }

  get #visible(): ReadonlyArray<ServerTool> {
    return this.#context.catalog.tools.filter((tool) => this.#isVisible(tool))
  }

  #isVisible({ link, modelName }: ServerTool): boolean {
    return ToolScope.has(this.scope, link.name) && !this.#dropped.has(modelName) && !this.#droppedServers.has(link.name)
  }

  /** The list for models, as it is now. */
  get modelTools(): ModelTools {
    const { catalog, scope } = this.#context
    const servers = scope === "all" ? scope : [...scope].toSorted()
    const left = JSON.stringify([catalog.version, servers, [...this.#dropped], [...this.#droppedServers]])
    const key = `${left} ${this.#own.key}`
    return this.#lists.of(key, () =>
      Object.fromEntries([
        ...this.#own.all.map((tool) => [
          tool.modelName,
          modelTool(tool.modelName, tool.description, tool.inputSchema, { server: "", tool: tool.name })
        ]),
        ...this.#visible.map(({ link, modelName, tool }) => [
          modelName,
          modelTool(modelName, tool.description ?? tool.title, modelSchema(tool.inputSchema), {
            server: link.name,
            tool: tool.name
          })
        ])
      ])
    )
  }

  /** What a model calls by this name; nothing where it is not in the list, even if a server has it. */
  find(name: string): Found | undefined {
    const own = this.#own.all.find((tool) => tool.modelName === name || tool.name === name)
    if (own !== undefined) return { _tag: "Own", tool: own }
    const tool = this.#context.catalog.named(name)
    return tool === undefined || !this.#isVisible(tool) ? undefined : { _tag: "Server", tool }
  }

  /** The name in the list that a model may have meant by one that is not: often a tool without its server. */
  meant(name: string): string | undefined {
    const bare = `__${name.replaceAll(/[./:]/gu, "__")}`
    const names = Object.keys(this.modelTools.tools)
    return names.find((one) => one.endsWith(bare)) ?? nearestNames(name, names, 1)[0]
  }

  /** Whether what a model calls by this name waits for something. */
  waits(name: string): boolean {
    const found = this.find(name)
    return found?._tag === "Own" && found.tool.waits === true
  }

  /** Runs one of the agent's own. */
  run(tool: OwnTool, args: JsonObject): Effect.Effect<Observation> {
    return tool.run(args, this.#context)
  }

  /** Leaves a tool out from now on, for this run. */
  drop(modelName: string): void {
    this.#dropped = new Set([...this.#dropped, modelName])
  }

  /** Leaves out what a server has, from now on, for this run. */
  dropServer(server: string): void {
    this.#droppedServers = new Set([...this.#droppedServers, server])
  }
}

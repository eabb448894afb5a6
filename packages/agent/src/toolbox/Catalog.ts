/**
 * What the connected servers offer: their tools under names for models, and their resources. It is listed once, and
 * again after a server said that its list changed. Every tool that is listed is told of with a hash of its description.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Scope from "effect/Scope"
import type { McpError } from "@treadle/client"
import { makeToolNames, type ToolNames } from "@treadle/client/names"
import type { Resource, Tool } from "@treadle/protocol/schema"
import { AgentError, AgentReason } from "../AgentError.ts"
import type { ListedTool } from "../AgentEvent.ts"
import type { RunFacts } from "../RunFacts.ts"
import { cutText } from "../Text.ts"
import { schemaFault } from "./ModelSchema.ts"
import type { ServerLink } from "./ServerLink.ts"

/** A tool of a server, and its name for models. */
export interface ServerTool {
  readonly link: ServerLink
  readonly tool: Tool
  readonly modelName: string
}

/** A resource and the server that owns it: the first that lists it. */
export interface OwnedResource {
  readonly link: ServerLink
  readonly resource: Resource
}

interface Shelf {
  readonly link: ServerLink
  tools: ReadonlyArray<Tool>
  resources: ReadonlyArray<Resource>
  /** Hashes of descriptions by the name of the tool. */
  readonly hashes: Map<string, string>
  /** Whether its tools were listed once. */
  known: boolean
  /** Whether the server said that its lists are other ones now. */
  stale: boolean
}

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** 16 hexadecimal digits of SHA-256. */
const hashOf = (text: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => hexOf(new Uint8Array(digest).subarray(0, 8))
  )

const listed = (tools: ReadonlyArray<Tool>): Effect.Effect<ReadonlyArray<ListedTool>> =>
  Effect.forEach(tools, ({ description = "", name }) =>
    Effect.map(hashOf(description), (hash) => ({ tool: name, hash, length: description.length }))
  )

/** Descriptions of one server that are remembered. */
const maxHashes = 100_000

const keepNewest = (hashes: Map<string, string>): void => {
  for (const tool of hashes.keys()) {
    if (hashes.size <= maxHashes) return
    hashes.delete(tool)
  }
}

/** Milliseconds that a page of a list may take at most, where calls may take longer. */
const longestList = 60_000

/** The first of each name. */
const distinct = (tools: ReadonlyArray<Tool>): ReadonlyArray<Tool> => {
  const names = new Set<string>()
  return tools.filter(({ name }) => !names.has(name) && names.add(name))
}

/** Tools of one server that models are shown. */
export const mostTools = 1_000

export class Catalog {
  readonly #facts: RunFacts
  readonly #shelves: ReadonlyArray<Shelf>
  /** By their names for models, in the order of servers and of their lists. */
  #tools: ReadonlyMap<string, ServerTool> = new Map()
  #resources: ReadonlyMap<string, OwnedResource> = new Map()
  /** Grows with each change of what is offered. */
  version = 0

  constructor(links: ReadonlyArray<ServerLink>, facts: RunFacts) {
    this.#facts = facts
    this.#shelves = links.map((link) => ({
      link,
      tools: [],
      resources: [],
      hashes: new Map(),
      known: false,
      stale: true
    }))
  }

  get links(): ReadonlyArray<ServerLink> {
    return this.#shelves.map(({ link }) => link)
  }

  get tools(): ReadonlyArray<ServerTool> {
    return [...this.#tools.values()]
  }

  /** The tool that has this name for models. */
  named(modelName: string): ServerTool | undefined {
    return this.#tools.get(modelName)
  }

  /** In the order of servers and of their lists. */
  get resources(): ReadonlyArray<OwnedResource> {
    return [...this.#resources.values()]
  }

  /** Who owns an address: the first server that lists it. */
  owner(uri: string): OwnedResource | undefined {
    return this.#resources.get(uri)
  }

  /** Whether a server said that its lists are other ones now. */
  get stale(): boolean {
    return this.#shelves.some(({ stale }) => stale)
  }

  /** Hears of changes of lists, where servers say that they tell of them. */
  readonly watched: Effect.Effect<void, never, Scope.Scope> = Effect.suspend(() =>
    Effect.forEach(this.#shelves, (shelf) => this.#watch(shelf), { concurrency: "unbounded", discard: true })
  )

  /**
   * Lists what is not known yet, or said to have changed. What cannot be listed stays as it was, and is told of; a
   * required server whose tools cannot be had at first fails with `RequiredServerDown`.
   */
  readonly refresh: Effect.Effect<void, AgentError> = Effect.suspend(() => {
    const stale = this.#shelves.filter((shelf) => shelf.stale)
    if (stale.length === 0) return Effect.void
    return Effect.andThen(
      Effect.forEach(stale, (shelf) => this.#list(shelf), { concurrency: "unbounded", discard: true }),
      Effect.sync(() => this.#index())
    )
  })

  #watch(shelf: Shelf): Effect.Effect<void, never, Scope.Scope> {
    const { capabilities } = shelf.link.session
    const tools = capabilities.tools?.listChanged === true
    const resources = capabilities.resources?.listChanged === true
    if (!tools && !resources) return Effect.void
    const heard = Effect.flatMap(shelf.link.session.watch({ tools, resources }), (changes) =>
      Stream.runForEach(changes, () =>
        Effect.sync(() => {
          shelf.stale = true
        })
      )
    )
    const failed = (error: McpError) =>
      Effect.sync(() =>
        this.#facts.emit({
          _tag: "Degraded",
          server: shelf.link.name,
          what: `its lists are not refreshed: ${error.message}`
        })
      )
    return Effect.asVoid(Effect.forkScoped(Effect.catch(heard, failed), { startImmediately: true }))
  }

  #list(shelf: Shelf): Effect.Effect<void, AgentError> {
    const { session, timeout = longestList } = shelf.link
    // A change that is told while the lists are on their way is not lost: it makes the shelf stale again.
    shelf.stale = false
    const options = (list: string) => ({
      timeout: Math.min(timeout, longestList),
      onEndless: (why: string) => this.#tellDegraded(shelf, `its list of ${list} is cut where it has no end: ${why}`)
    })
    const found = Effect.map(session.listTools(options("tools")), distinct)
    const tools = Effect.catch(found, (error) => this.#unlisted(shelf, error))
    const resources = Effect.catch(session.listResources(options("resources")), (error) =>
      Effect.as(this.#degraded(shelf, `its resources could not be listed: ${error.message}`), shelf.resources)
    )
    const lists = Effect.flatMap(Effect.all([tools, resources], { concurrency: 2 }), (entries) =>
      this.#shelve(shelf, ...entries)
    )
    return Effect.onInterrupt(lists, () =>
      Effect.sync(() => {
        shelf.stale = true
      })
    )
  }

  /** Tools that cannot be listed: at first a required server is not there, unless its list is what is wrong. */
  #unlisted(shelf: Shelf, error: McpError): Effect.Effect<ReadonlyArray<Tool>, AgentError> {
    const { name, required } = shelf.link
    if (required && !shelf.known && error.reason._tag !== "Undecodable") {
      const reason = new AgentReason.RequiredServerDown({ server: name, detail: error.message, cause: error })
      return Effect.fail(new AgentError({ agent: this.#facts.agent, reason }))
    }
    return Effect.as(this.#degraded(shelf, `its tools could not be listed: ${error.message}`), shelf.tools)
  }

  #degraded(shelf: Shelf, what: string): Effect.Effect<void> {
    return Effect.sync(() => this.#tellDegraded(shelf, what))
  }

  #tellDegraded({ link }: Shelf, what: string): void {
    this.#facts.emit({ _tag: "Degraded", server: link.name, what })
  }

  /** Those that the settings of its server name; one that is not listed is told of. */
  #chosen(shelf: Shelf, tools: ReadonlyArray<Tool>): ReadonlyArray<Tool> {
    const chosen = shelf.link.tools
    if (chosen === undefined) return tools
    const listed = new Set(tools.map(({ name }) => name))
    const missing = chosen.filter((name) => !listed.has(name)).map((name) => JSON.stringify(name))
    if (missing.length > 0)
      this.#tellDegraded(shelf, `it does not list ${missing.join(", ")}, which its tools shall be`)
    return tools.filter(({ name }) => chosen.includes(name))
  }

  /** Leaves out what no model can be shown. */
  #shown(shelf: Shelf, all: ReadonlyArray<Tool>): ReadonlyArray<Tool> {
    const tools = this.#chosen(shelf, all)
    if (tools.length > mostTools) {
      const what = `it lists ${tools.length} tools, and those after the first ${mostTools} are left out`
      this.#tellDegraded(shelf, what)
    }
    return tools.slice(0, mostTools).filter(({ inputSchema, name }) => {
      const fault = schemaFault(inputSchema)
      if (fault === undefined) return true
      const what = `its tool ${JSON.stringify(cutText(name, 128, "…"))} is left out: ${fault}`
      this.#tellDegraded(shelf, what)
      return false
    })
  }

  #shelve(shelf: Shelf, tools: ReadonlyArray<Tool>, resources: ReadonlyArray<Resource>): Effect.Effect<void> {
    shelf.resources = resources
    shelf.known = true
    if (tools === shelf.tools) return Effect.void
    const shown = this.#shown(shelf, tools)
    return Effect.map(listed(shown), (audit) => {
      const server = shelf.link.name
      for (const { hash, tool } of audit) {
        const before = shelf.hashes.get(tool)
        if (before !== undefined && before !== hash) {
          this.#facts.emit({ _tag: "ToolDescriptionChanged", server, tool, before, after: hash })
        }
      }
      this.#facts.emit({ _tag: "ToolsListed", server, tools: audit })
      shelf.tools = shown
      // A tool that goes and comes back with another description is a change too.
      for (const { hash, tool } of audit) shelf.hashes.set(tool, hash)
      keepNewest(shelf.hashes)
    })
  }

  #index(): void {
    const entries = this.#shelves.flatMap(({ link, tools }) => tools.map((tool) => ({ link, tool })))
    const names: ToolNames = makeToolNames(entries.map(({ link, tool }) => ({ server: link.name, tool: tool.name })))
    this.#tools = new Map(
      entries.map(({ link, tool }) => {
        const modelName = names.toModel(link.name, tool.name)
        return [modelName, { link, tool, modelName }]
      })
    )
    const owned = new Map<string, OwnedResource>()
    for (const { link, resources } of this.#shelves) {
      for (const resource of resources) if (!owned.has(resource.uri)) owned.set(resource.uri, { link, resource })
    }
    this.#resources = owned
    this.version++
  }
}

/**
 * The catalog of what is served: which operations `invoke` runs, how they are found, and the two tools that show them.
 * It is empty where the author asked for none.
 */
import { isRecord, nearestNames, own } from "@treadle/protocol/json"
import type { CatalogOptions } from "../../CatalogOptions.ts"
import {
  catalogNames,
  foundOperation,
  invokeTool,
  reaches,
  searchTool,
  unitedHints,
  type CatalogView,
  type FoundOperation
} from "../../handler/CatalogTools.ts"
import type { Entries, OperationEntry } from "../../handler/Entry.ts"
import { search, searchable, type Searchable } from "../../handler/OperationSearch.ts"
import type { ToolHandler } from "../../handler/ToolHandler.ts"
import type { ListTable, ServedEntry } from "./ListTable.ts"

/** An operation that `invoke` runs. */
interface Reached extends Searchable {
  readonly entry: OperationEntry
  readonly operation: string
  readonly shown: FoundOperation
}

/** What a call of `invoke` runs. */
export interface Invoked {
  readonly entry: ServedEntry<ToolHandler>
  readonly args: unknown
}

/** The two tools, and what puts them in force. */
interface NextCatalog {
  readonly tools: ReadonlyArray<OperationEntry>
  readonly offer: () => void
}

/** How much of a name from outside is repeated. */
const repeated = 64

const quoted = (name: string): string => JSON.stringify(name.length > repeated ? `${name.slice(0, repeated)}…` : name)

/** The author's function was asked before, when the entries were checked; what it throws now is no. */
const isReached = (options: CatalogOptions, { endpoint, promoted }: OperationEntry): boolean => {
  try {
    return !promoted && reaches(options, endpoint)
  } catch {
    return false
  }
}

const reached = (entry: OperationEntry): Reached => ({
  ...searchable(entry.endpoint),
  entry,
  operation: entry.endpoint.name,
  shown: foundOperation(entry.endpoint)
})

export class Catalog {
  readonly #tools: ListTable<ToolHandler>
  readonly #operations: ListTable<ToolHandler>
  #reached: ReadonlyMap<string, Reached> = new Map()
  /** The tools as they are listed; `invoke` is made anew when its hints are others. */
  #search: OperationEntry | undefined
  #invoke: OperationEntry | undefined
  #hints = ""

  constructor(tools: ListTable<ToolHandler>, operations: ListTable<ToolHandler>) {
    this.#tools = tools
    this.#operations = operations
  }

  /** The catalog of these entries. */
  next({ catalogs, operations }: Entries): NextCatalog {
    const [catalog] = catalogs
    if (catalog === undefined) return { tools: [], offer: () => {} }
    const within = operations.filter((entry) => isReached(catalog.options, entry))
    const united = unitedHints(within.map(({ endpoint }) => endpoint.about.hints))
    const hints = JSON.stringify(united)
    const finding = this.#search ?? searchTool(catalog, this.#view)
    const invoking =
      this.#invoke !== undefined && hints === this.#hints ? this.#invoke : invokeTool(catalog, this.#view, united)
    return {
      tools: [finding, invoking],
      offer: () => {
        this.#search = finding
        this.#invoke = invoking
        this.#hints = hints
        const before = this.#reached
        const known = (entry: OperationEntry): Reached => {
          const one = before.get(entry.endpoint.name)
          return one?.entry === entry ? one : reached(entry)
        }
        this.#reached = new Map(within.map((entry) => [entry.endpoint.name, known(entry)]))
      }
    }
  }

  /**
   * The name of the operation that a call of a tool runs in its place, whoever sees it.
   *
   * @param params of the call
   */
  named(tool: unknown, params: unknown): string | undefined {
    if (tool !== catalogNames.invoke || this.#invoke === undefined) return undefined
    const name = own(own(params, "arguments"), "name")
    return typeof name === "string" && this.#reached.has(name) ? name : undefined
  }

  /**
   * What a call of a tool runs in its place, where the caller sees that.
   *
   * @param params of the call
   */
  invoked(tool: string, params: unknown, context: unknown): Invoked | undefined {
    const name = this.named(tool, params)
    if (name === undefined) return undefined
    const args = own(own(params, "arguments"), "arguments")
    if (args !== undefined && !isRecord(args)) return undefined
    const entry = this.#operations.find(name, context)
    return entry === undefined ? undefined : { entry, args: args ?? {} }
  }

  readonly #view: CatalogView = {
    search: (query, context) => search(this.#seen(context), query),
    obstacle: (name, context) => {
      if (this.#operations.find(name, context) !== undefined) {
        return (
          `The operation ${quoted(name)} is not marked as read-only, and the catalog of this server does not allow it. ` +
          `Use ${catalogNames.search} to see what can be run; the author of the server can name it in allow of catalog(…).`
        )
      }
      if (this.#tools.find(name, context) !== undefined) return `${quoted(name)} is a tool: call it by its name.`
      const nearest = nearestNames(
        name,
        this.#seen(context).map(({ operation }) => operation)
      )
      const meant = nearest.length === 0 ? "" : ` The nearest: ${nearest.map(quoted).join(", ")}.`
      return `There is no operation ${quoted(name)}.${meant} Use ${catalogNames.search} to see what there is.`
    }
  }

  /** The operations that `invoke` runs for a caller, in the order of definition. */
  #seen(context: unknown): ReadonlyArray<Reached> {
    return [...this.#reached.values()].filter(
      ({ operation }) => this.#operations.find(operation, context) !== undefined
    )
  }
}

/**
 * All that a served thing offers: the handlers of its entries, each with the services that were provided to it. Other
 * entries can be put in the place of those that there are; what was made for an entry is released once it is no longer
 * offered and no call runs with it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Added, Entries, OperationEntry } from "../../handler/Entry.ts"
import { operationTool } from "../../handler/OperationTool.ts"
import { promptHandler, type PromptHandler } from "../../handler/PromptHandler.ts"
import { resourceHandler, type ResourceHandler } from "../../handler/ResourceHandler.ts"
import { templateHandler, type TemplateHandler } from "../../handler/TemplateHandler.ts"
import type { ToolHandler } from "../../handler/ToolHandler.ts"
import { Catalog } from "./Catalog.ts"
import { ListTable, type Lease, type Listed, type ServedEntry } from "./ListTable.ts"

export interface Offer {
  readonly tools: ListTable<ToolHandler>
  /** Operations that are no tools. */
  readonly operations: ListTable<ToolHandler>
  /** What of the operations the tools of the catalog run. */
  readonly catalog: Catalog
  readonly resources: ListTable<ResourceHandler>
  readonly templates: ListTable<TemplateHandler>
  readonly prompts: ListTable<PromptHandler>
}

/** An offer whose entries can change. */
export interface ChangingOffer extends Offer {
  /**
   * Offers these entries, which have no build errors, and no others. An entry that was offered already is kept as it is.
   *
   * @returns whether the list of tools is another one
   */
  readonly put: (entries: Entries) => Effect.Effect<boolean>
}

/** The services of one entry, and what keeps them. */
type Provided = Pick<ServedEntry<unknown>, "services" | "lease">

/** Makes the services of an entry. */
type Provide = (entry: Added) => Effect.Effect<Provided>

/** Closes a scope in the background; what goes wrong in it is in the log. */
const closing = (scope: Scope.Closeable): Effect.Effect<void> =>
  Effect.tapCause(Scope.close(scope, Exit.void), (cause) =>
    Effect.logError("What was provided to an entry that is gone could not be released.", cause)
  )

/** Held once for the offer, and once for each call. */
const leased = (close: () => void): Lease => {
  let count = 1
  return {
    retain: () => {
      count++
    },
    release: () => {
      if (--count === 0) close()
    }
  }
}

/**
 * Builds the layers of entries, inner ones first. A layer that several entries have is built once and lives as long as
 * one of them does; one that the application has built already is the application's.
 *
 * @param scope what they live in at the longest
 */
const provision = (base: Context.Context<never>, scope: Scope.Scope): Provide => {
  const memo = Layer.CurrentMemoMap.forkOrCreate(base)
  const run = Effect.runForkWith(base)
  return ({ layers }) => {
    if (layers.length === 0) return Effect.succeed({ services: base, lease: undefined })
    return Effect.suspend(() => {
      const own = Scope.forkUnsafe(scope)
      const built = Effect.reduce(
        layers.toReversed(),
        () => base,
        (services, layer) =>
          Effect.map(
            Effect.orDie(
              Effect.provideContext(
                Layer.buildWithMemoMap(layer as Layer.Layer<never, never, never>, memo, own),
                services
              )
            ),
            (provided) => Context.merge(services, provided)
          )
      )
      return Effect.map(
        Effect.onExit(built, (exit) => (Exit.isFailure(exit) ? Scope.close(own, exit) : Effect.void)),
        (services) => ({ services, lease: leased(() => void run(closing(own))) })
      )
    })
  }
}

/** One list: its entries as they were defined, each with what is served of it. */
class ChangingList<E extends Added, H extends Listed> {
  readonly table: ListTable<H>
  readonly #handlerOf: (entry: E) => H
  #served: ReadonlyMap<E, ServedEntry<H>> = new Map()

  constructor(keyOf: (handler: H) => string, handlerOf: (entry: E) => H) {
    this.table = new ListTable(keyOf, [])
    this.#handlerOf = handlerOf
  }

  /**
   * Makes what is new among the entries.
   *
   * @param made gets what was made, so that it can be released where something else fails
   * @returns offers them, and says whether the list is another one
   */
  prepare(entries: ReadonlyArray<E>, provide: Provide, made: Array<Lease>): Effect.Effect<() => boolean> {
    const make = (entry: E): Effect.Effect<readonly [E, ServedEntry<H>]> =>
      Effect.map(provide(entry), (provided) => {
        if (provided.lease !== undefined) made.push(provided.lease)
        return [entry, { handler: this.#handlerOf(entry), ...provided }]
      })
    const fresh = entries.filter((entry) => !this.#served.has(entry))
    return Effect.map(Effect.forEach(fresh, make), (served) => {
      const known = new Map([...this.#served, ...served])
      return () => this.#offer(known, entries)
    })
  }

  /** A list that is the same stays the same, for the cursors of its pages. */
  #offer(known: ReadonlyMap<E, ServedEntry<H>>, entries: ReadonlyArray<E>): boolean {
    const before = this.#served
    const next = new Map(
      entries.flatMap((entry) => {
        const served = known.get(entry)
        return served === undefined ? [] : [[entry, served] as const]
      })
    )
    const gone = [...before].flatMap(([entry, served]) => (next.has(entry) ? [] : [served]))
    if (gone.length === 0 && next.size === before.size) return false
    this.#served = next
    this.table.replace([...next.values()])
    for (const { lease } of gone) lease?.release()
    return true
  }
}

const keyed = ({ key }: { readonly key: string }): string => key

/**
 * Makes an offer of nothing.
 *
 * @param base the services that every handler runs with
 * @param scope what layers live in at the longest
 */
export const makeOffer = (base: Context.Context<never>, scope: Scope.Scope): ChangingOffer => {
  const provide = provision(base, scope)
  const operationList = () =>
    new ChangingList(
      ({ name }: ToolHandler) => name,
      ({ endpoint, handler, settings }: OperationEntry) => operationTool(endpoint, handler, settings)
    )
  const tools = operationList()
  const operations = operationList()
  const catalog = new Catalog(tools.table, operations.table)
  const resources = new ChangingList(keyed, ({ definition, read, refuse }: Entries["resources"][number]) =>
    resourceHandler(definition, read, refuse)
  )
  const templates = new ChangingList(keyed, ({ definition, read, refuse }: Entries["templates"][number]) =>
    templateHandler(definition, read, refuse)
  )
  const prompts = new ChangingList(keyed, ({ name, definition, handler }: Entries["prompts"][number]) =>
    promptHandler(name, definition, handler)
  )
  return {
    tools: tools.table,
    operations: operations.table,
    catalog,
    resources: resources.table,
    templates: templates.table,
    prompts: prompts.table,
    put: (entries) =>
      Effect.suspend(() => {
        const made: Array<Lease> = []
        const next = catalog.next(entries)
        const promoted = entries.operations.filter((entry) => entry.promoted)
        const others = entries.operations.filter((entry) => !entry.promoted)
        const prepared = Effect.all([
          tools.prepare([...promoted, ...next.tools], provide, made),
          operations.prepare(others, provide, made),
          resources.prepare(entries.resources, provide, made),
          templates.prepare(entries.templates, provide, made),
          prompts.prepare(entries.prompts, provide, made)
        ])
        return Effect.onExit(
          Effect.map(prepared, (offers) => {
            next.offer()
            const [toolsChanged] = offers.map((offer) => offer())
            return toolsChanged === true
          }),
          (exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit)) for (const lease of made) lease.release()
            })
        )
      })
  }
}

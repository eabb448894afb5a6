/**
 * All that a served thing offers: the handlers of its entries, each with the services that were provided to it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Added, AnyLayer, Entries } from "../handler/Entry.ts"
import { operationTool } from "../handler/OperationTool.ts"
import { promptHandler, type PromptHandler } from "../handler/PromptHandler.ts"
import { resourceHandler, type ResourceHandler } from "../handler/ResourceHandler.ts"
import { templateHandler, type TemplateHandler } from "../handler/TemplateHandler.ts"
import type { ToolHandler } from "../handler/ToolHandler.ts"
import { ListTable, type Listed, type ServedEntry } from "./ListTable.ts"

export interface Offer {
  readonly tools: ListTable<ToolHandler>
  readonly resources: ListTable<ResourceHandler>
  readonly templates: ListTable<TemplateHandler>
  readonly prompts: ListTable<PromptHandler>
}

/** Builds the layers of entries, each layer once, inner ones first, sharing what is the same. */
const provision = Effect.fnUntraced(function* (base: Context.Context<never>) {
  const scope = yield* Effect.scope
  const memo = yield* Layer.makeMemoMap
  const built = new Map<AnyLayer, Context.Context<never>>()
  return Effect.fnUntraced(function* ({ layers }: Added) {
    let services = base
    for (const layer of layers.toReversed()) {
      const known = built.get(layer)
      const provided =
        known ??
        (yield* Effect.orDie(
          Effect.provideContext(
            Layer.buildWithMemoMap(layer as Layer.Layer<never, never, never>, memo, scope),
            services
          )
        ))
      built.set(layer, provided)
      services = Context.merge(services, provided)
    }
    return services
  })
})

/**
 * Makes the offer of entries that have no build errors; what a `provide` gave is built here, in the Scope.
 *
 * @param base the services that every handler runs with
 */
export const makeOffer = Effect.fnUntraced(function* (entries: Entries, base: Context.Context<never>) {
  const servicesOf = yield* provision(base)
  const served = Effect.fnUntraced(function* <E extends Added, H extends Listed>(
    added: ReadonlyArray<E>,
    handlerOf: (entry: E) => H
  ) {
    const out: Array<ServedEntry<H>> = []
    for (const entry of added) out.push({ handler: handlerOf(entry), services: yield* servicesOf(entry) })
    return out
  })
  const key = (handler: { readonly key: string }) => handler.key
  return {
    tools: new ListTable(
      ({ name }) => name,
      yield* served(entries.tools, ({ endpoint, handler, settings }) => operationTool(endpoint, handler, settings))
    ),
    resources: new ListTable(
      key,
      yield* served(entries.resources, ({ definition, read }) => resourceHandler(definition, read))
    ),
    templates: new ListTable(
      key,
      yield* served(entries.templates, ({ definition, read }) => templateHandler(definition, read))
    ),
    prompts: new ListTable(
      key,
      yield* served(entries.prompts, ({ name, definition, handler }) => promptHandler(name, definition, handler))
    )
  } satisfies Offer
})

/** Whether there is an argument that somebody proposes values for (COMP-01). */
export const completes = ({ prompts, templates }: Entries): boolean =>
  [...prompts, ...templates].some(({ definition }) => Object.keys(definition.complete ?? {}).length > 0)

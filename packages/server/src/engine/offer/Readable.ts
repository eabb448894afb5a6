/**
 * What reads a URI: the resource of this URI, else the first template whose form it has and whose variables fit.
 */
import * as Result from "effect/Result"
import type { ResourceHandler } from "../../handler/ResourceHandler.ts"
import { canonicalUri } from "../../handler/ResourceUri.ts"
import type { Matched, TemplateHandler } from "../../handler/TemplateHandler.ts"
import type { ServedEntry } from "./ListTable.ts"
import type { Offer } from "./Offer.ts"

/** What there is to choose from. */
export interface Readables {
  readonly resource: (key: string) => ServedEntry<ResourceHandler> | undefined
  readonly templates: () => ReadonlyArray<ServedEntry<TemplateHandler>>
}

export interface Found extends Matched {
  readonly entry: ServedEntry<ResourceHandler> | ServedEntry<TemplateHandler>
}

/** What a caller sees. */
export const seenBy = (
  { resources, templates }: Pick<Offer, "resources" | "templates">,
  context: unknown
): Readables => ({
  resource: (key) => resources.find(key, context),
  templates: () => templates.visible(context)
})

/** What reads a URI, or why nothing does: the problems of the first template of its form. */
export const readable = (uri: string, { resource, templates }: Readables): Found | ReadonlyArray<string> => {
  const key = canonicalUri(uri)
  const own = key === undefined ? undefined : resource(key)
  if (own !== undefined) return { reading: own.handler.read(uri), refusing: own.handler.refusing, entry: own }
  let problems: ReadonlyArray<string> | undefined
  for (const entry of templates()) {
    const matched = entry.handler.match(uri)
    if (matched === undefined) continue
    if (Result.isSuccess(matched)) return { ...matched.success, entry }
    problems ??= matched.failure
  }
  return problems ?? []
}

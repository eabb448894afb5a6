/**
 * Entries after a change: what they are found by, replaced in their places, and taken away. Pure.
 */
import type { Removal, Removed } from "../Live.ts"
import type { Entries, OperationEntry, PromptEntry, ResourceEntry, TemplateEntry } from "./Entry.ts"
import { uriKey } from "./ResourceUri.ts"

/** What an entry is found by; two of one list with the same key cannot be served together. */
export const entryKey = {
  operations: ({ endpoint }: OperationEntry): string => String(endpoint.name),
  prompts: ({ name }: PromptEntry): string => String(name),
  resources: ({ definition }: ResourceEntry): string => uriKey(String(definition.uri)),
  templates: ({ definition }: TemplateEntry): string => String(definition.uriTemplate)
}

/** The entries of a part with an identity of their own, so that a part that is given again is new again. */
export const renewed = ({ operations, prompts, resources, templates }: Entries): Entries => {
  const copy = <E extends object>(entry: E): E => ({ ...entry })
  return {
    operations: operations.map(copy),
    prompts: prompts.map(copy),
    resources: resources.map(copy),
    templates: templates.map(copy),
    extensions: [],
    catalogs: []
  }
}

const merged = <E>(
  served: ReadonlyArray<E>,
  given: ReadonlyArray<E>,
  keyOf: (entry: E) => string
): ReadonlyArray<E> => {
  const byKey = new Map<string, ReadonlyArray<E>>()
  for (const entry of given) byKey.set(keyOf(entry), [...(byKey.get(keyOf(entry)) ?? []), entry])
  const inPlace = served.flatMap((entry) => {
    const key = keyOf(entry)
    const others = byKey.get(key)
    byKey.delete(key)
    return others ?? [entry]
  })
  return [...inPlace, ...[...byKey.values()].flat()]
}

/** The served entries with those of a part in the place of those with the same keys, and the rest after them. */
export const replaced = (served: Entries, part: Entries): Entries => ({
  operations: merged(served.operations, part.operations, entryKey.operations),
  prompts: merged(served.prompts, part.prompts, entryKey.prompts),
  resources: merged(served.resources, part.resources, entryKey.resources),
  templates: merged(served.templates, part.templates, entryKey.templates),
  extensions: served.extensions,
  catalogs: served.catalogs
})

const split = <E>(served: ReadonlyArray<E>, keys: ReadonlyArray<string> | undefined, keyOf: (entry: E) => string) => {
  const going = new Set(keys)
  return {
    kept: served.filter((entry) => !going.has(keyOf(entry))),
    gone: served.filter((entry) => going.has(keyOf(entry)))
  }
}

/** The served entries without some of them, and what those were. */
export const without = (
  served: Entries,
  what: Removal
): { readonly entries: Entries; readonly gone: Entries; readonly removed: Removed } => {
  const going = { tool: new Set(what.tools), operation: new Set(what.operations) }
  const goes = (entry: OperationEntry): boolean =>
    going[entry.promoted ? "tool" : "operation"].has(entryKey.operations(entry))
  const gone = served.operations.filter(goes)
  const namesOf = (promoted: boolean): ReadonlyArray<string> =>
    gone.filter((entry) => entry.promoted === promoted).map(entryKey.operations)
  const prompts = split(served.prompts, what.prompts, entryKey.prompts)
  const resources = split(served.resources, what.resources?.map(uriKey), entryKey.resources)
  const templates = split(served.templates, what.templates, entryKey.templates)
  return {
    entries: {
      operations: served.operations.filter((entry) => !goes(entry)),
      prompts: prompts.kept,
      resources: resources.kept,
      templates: templates.kept,
      extensions: served.extensions,
      catalogs: served.catalogs
    },
    gone: {
      operations: gone,
      prompts: prompts.gone,
      resources: resources.gone,
      templates: templates.gone,
      extensions: [],
      catalogs: []
    },
    removed: {
      tools: namesOf(true),
      operations: namesOf(false),
      prompts: prompts.gone.map(entryKey.prompts),
      resources: resources.gone.map(({ definition }) => definition.uri),
      templates: templates.gone.map(entryKey.templates)
    }
  }
}

/**
 * Which scopes the entries of a server ask for.
 */
import type { Entries } from "./Entry.ts"

/** Each scope that something needs, with the first thing that does, as `tool "create_hold"`. */
export const scopedEntries = ({ operations, prompts, resources, templates }: Entries): ReadonlyMap<string, string> => {
  const needed = new Map<string, string>()
  const need = (scopes: ReadonlyArray<string> | undefined, kind: string, name: string) => {
    for (const scope of scopes ?? []) if (!needed.has(scope)) needed.set(scope, `${kind} ${JSON.stringify(name)}`)
  }
  for (const { endpoint, promoted, settings } of operations) {
    need(settings.scopes, promoted ? "tool" : "operation", endpoint.name)
  }
  for (const { definition } of resources) need(definition.scopes, "resource", definition.uri)
  for (const { definition } of templates) need(definition.scopes, "template", definition.uriTemplate)
  for (const { definition, name } of prompts) need(definition.scopes, "prompt", name)
  return needed
}

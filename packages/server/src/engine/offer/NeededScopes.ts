/**
 * The scopes that a request needs, as the ladder asks for them: those of the tool, the operation, the prompt or the
 * resource that it names. None where the caller does not see that, so that nothing tells it from what is not there.
 *
 * Where a function of the author's that says who sees an entry throws, scopes are asked for as if everybody saw it: then
 * nothing runs without them, and the row reports what was thrown.
 */
import { own } from "@treadle/protocol/json"
import type { Request } from "@treadle/protocol/rpc"
import type { Limits } from "../../Limits.ts"
import type { Listed, ListTable } from "./ListTable.ts"
import type { Offer } from "./Offer.ts"
import { readable, seenBy, type Readables } from "./Readable.ts"

type Scopes = ReadonlyArray<string>

const none: Scopes = []

const ofEntry = <H extends Listed>(table: ListTable<H>, key: unknown, context: unknown): Scopes => {
  if (!table.scoped || typeof key !== "string") return none
  const scopes = table.get(key)?.handler.scopes ?? none
  if (scopes.length === 0) return none
  try {
    return table.find(key, context) === undefined ? none : scopes
  } catch {
    return scopes
  }
}

const ofReadable = (uri: string, readables: Readables): Scopes => {
  const found = readable(uri, readables)
  return "entry" in found ? (found.entry.handler.scopes ?? none) : none
}

const ofUri = (offer: Offer, uri: unknown, context: unknown): Scopes => {
  const { resources, templates } = offer
  if (typeof uri !== "string" || !(resources.scoped || templates.scoped)) return none
  try {
    return ofReadable(uri, seenBy(offer, context))
  } catch {
    return ofReadable(uri, { resource: (key) => resources.get(key), templates: () => templates.all })
  }
}

/** Of the resources that a subscription names; one that names too many is refused by its row. */
const ofUris = (offer: Offer, filter: unknown, context: unknown, { subscribedUris }: Limits): Scopes => {
  const uris = own(filter, "resourceSubscriptions")
  if (!Array.isArray(uris) || uris.length > subscribedUris) return none
  return [...new Set(uris.flatMap((uri: unknown) => ofUri(offer, uri, context)))]
}

/** Of a tool; of the operation that it runs in its own place, where it does. */
const ofTool = ({ catalog, operations, tools }: Offer, params: unknown, context: unknown): Scopes => {
  const name = own(params, "name")
  const invoked = catalog.named(name, params)
  return invoked === undefined ? ofEntry(tools, name, context) : ofEntry(operations, invoked, context)
}

/** @param context of the caller */
export const neededScopes =
  (offer: Offer, limits: Limits) =>
  ({ method, params }: Request, context: unknown): Scopes => {
    switch (method) {
      case "tools/call":
        return ofTool(offer, params, context)
      case "prompts/get":
        return ofEntry(offer.prompts, own(params, "name"), context)
      case "resources/read":
      case "resources/subscribe":
        return ofUri(offer, own(params, "uri"), context)
      case "subscriptions/listen":
        return ofUris(offer, own(params, "notifications"), context, limits)
      case "completion/complete": {
        const ref = own(params, "ref")
        return own(ref, "type") === "ref/prompt"
          ? ofEntry(offer.prompts, own(ref, "name"), context)
          : ofEntry(offer.templates, own(ref, "uri"), context)
      }
      default:
        return none
    }
  }

/**
 * The row of `resources/read`: the resource of this URI, else the first template whose form it has and whose variables
 * fit.
 */
import * as Effect from "effect/Effect"
import { own } from "@treadle/protocol/json"
import { RpcError } from "@treadle/protocol/rpc"
import * as Result from "effect/Result"
import type { Reading } from "../../handler/ResourceHandler.ts"
import { canonicalUri } from "../../handler/ResourceUri.ts"
import { internalError, resourceNotFound } from "../../reply/ErrorReply.ts"
import type { ServedEntry } from "../offer/ListTable.ts"
import type { Offer } from "../offer/Offer.ts"
import type { Row } from "./Row.ts"

interface Found {
  readonly reading: Reading
  readonly entry: ServedEntry<{ readonly timeout: number | undefined }>
}

/** What reads a URI, or why nothing does: the problems of the first template of its form. */
const find = (
  { resources, templates }: Pick<Offer, "resources" | "templates">,
  uri: string,
  context: unknown
): Found | ReadonlyArray<string> => {
  const key = canonicalUri(uri)
  const resource = key === undefined ? undefined : resources.find(key, context)
  if (resource !== undefined) return { reading: resource.handler.read(uri), entry: resource }
  let problems: ReadonlyArray<string> | undefined
  for (const entry of templates.visible(context)) {
    const matched = entry.handler.match(uri)
    if (matched === undefined) continue
    if (Result.isSuccess(matched)) return { reading: matched.success, entry }
    problems ??= matched.failure
  }
  return problems ?? []
}

/** Reads a resource (RES-03, RES-04). */
export const readRow =
  (offer: Pick<Offer, "resources" | "templates">): Row =>
  ({ inbound, request, revision }) => {
    const uri = own(request.params, "uri")
    if (typeof uri !== "string") return RpcError.invalidParams("params.uri must be the URI of a resource")
    const found = find(offer, uri, inbound.context)
    const missing = (problems?: ReadonlyArray<string>) => resourceNotFound(uri, revision.era, problems)
    if (!("reading" in found)) return missing(found)
    return {
      name: uri,
      effect: (call) =>
        Effect.flatMap(found.reading(call), (result) =>
          result === undefined ? Effect.fail(missing()) : Effect.succeed(result)
        ),
      services: found.entry.services,
      lease: found.entry.lease,
      timeout: found.entry.handler.timeout,
      died: internalError
    }
  }

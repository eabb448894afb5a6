/**
 * The row of `resources/read`.
 */
import * as Effect from "effect/Effect"
import { own } from "@treadle/protocol/json"
import { RpcError } from "@treadle/protocol/rpc"
import { internalError, resourceNotFound } from "../../reply/ErrorReply.ts"
import type { Offer } from "../offer/Offer.ts"
import { readable, seenBy } from "../offer/Readable.ts"
import type { Row } from "./Row.ts"

/** Reads a resource (RES-03, RES-04). */
export const readRow =
  (offer: Pick<Offer, "resources" | "templates">): Row =>
  ({ inbound, request, revision }) => {
    const uri = own(request.params, "uri")
    if (typeof uri !== "string") return RpcError.invalidParams("params.uri must be the URI of a resource")
    const found = readable(uri, seenBy(offer, inbound.context))
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

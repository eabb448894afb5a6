/**
 * The resources that a session wants to hear of (CSUB-01).
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { own } from "@treadle/protocol/json"
import { RpcError } from "@treadle/protocol/rpc"
import type { Limits } from "../../Limits.ts"
import { internalError, resourceNotFound, resourceUnheard } from "../../reply/ErrorReply.ts"
import type { NeutralResult } from "../../reply/NeutralResult.ts"
import { hearable, type Hearable } from "../offer/Hearable.ts"
import type { Offer } from "../offer/Offer.ts"
import type { Row, Running } from "./Row.ts"

const missingUri = () => RpcError.invalidParams("params.uri must name a resource")

/** A URI that nobody has to remember. */
export const tooLong = ({ uriLength }: Limits): RpcError =>
  RpcError.invalidParams(`A URI to hear of has at most ${uriLength} characters`)

const done: NeutralResult = { members: "" }

/** It is subscribed while its author is asked, so that no change in between is lost. */
const asking = (uri: string, { entry, reason }: Hearable & { _tag: "asked" }, undo: () => void): Running => ({
  name: uri,
  effect: (call) =>
    Effect.onExit(
      Effect.flatMap(reason(call), (why) =>
        why === undefined ? Effect.succeed(done) : Effect.fail(resourceUnheard(uri, why))
      ),
      (exit) => (Exit.isFailure(exit) ? Effect.sync(undo) : Effect.void)
    ),
  services: entry.services,
  lease: entry.lease,
  timeout: undefined,
  died: internalError
})

/**
 * `resources/subscribe`.
 *
 * @param settled whether the list of resources stays as it was at the start
 */
export const subscribe =
  (limits: Limits, offer: Pick<Offer, "resources" | "templates">, settled: boolean): Row =>
  ({ inbound, request, revision, session }) => {
    const uri = own(request.params, "uri")
    if (typeof uri !== "string") return missingUri()
    if (uri.length > limits.uriLength) return tooLong(limits)
    const may = hearable(uri, offer, inbound.context, settled)
    if (may._tag === "missing") return resourceNotFound(uri, revision.era)
    const undo = session?.subscribe(uri, limits.subscribedUris)
    if (undo !== undefined) return may._tag === "yes" ? "{}" : asking(uri, may, undo)
    return RpcError.invalidParams(
      `A session subscribes to at most ${limits.subscribedUris} resources; unsubscribe from one first`
    )
  }

/** `resources/unsubscribe`; one that was not subscribed to is fine. */
export const unsubscribe =
  (): Row =>
  ({ request, session }) => {
    const uri = own(request.params, "uri")
    if (typeof uri !== "string") return missingUri()
    session?.unsubscribe(uri)
    return "{}"
  }

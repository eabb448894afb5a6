/**
 * The resources that a session wants to hear of (CSUB-01).
 */
import { own } from "@treadle/protocol/json"
import { RpcError } from "@treadle/protocol/rpc"
import type { Limits } from "../../Limits.ts"
import type { Row } from "./Row.ts"

const missingUri = () => RpcError.invalidParams("params.uri must name a resource")

/** A URI that nobody has to remember. */
export const tooLong = ({ uriLength }: Limits): RpcError =>
  RpcError.invalidParams(`A URI to hear of has at most ${uriLength} characters`)

/** `resources/subscribe`. */
export const subscribe =
  (limits: Limits): Row =>
  ({ request, session }) => {
    const uri = own(request.params, "uri")
    if (typeof uri !== "string") return missingUri()
    if (uri.length > limits.uriLength) return tooLong(limits)
    if (session?.subscribe(uri, limits.subscribedUris) === true) return "{}"
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

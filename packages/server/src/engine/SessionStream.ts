/**
 * What only sessions have: resources they subscribe to, and the stream on which a session without a pipe is told of
 * changes (CSUB-01, CHTTP-07 to CHTTP-10).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { own } from "@treadle/protocol/json"
import { RpcError } from "@treadle/protocol/rpc"
import type { SessionFacts } from "../envelope/SessionFacts.ts"
import type { Limits } from "../Limits.ts"
import type { Row, Running } from "./Row.ts"

const missingUri = () => RpcError.invalidParams("params.uri must name a resource")

/** `resources/subscribe`. */
export const subscribe =
  (limits: Limits): Row =>
  ({ request, session }) => {
    const uri = own(request.params, "uri")
    if (typeof uri !== "string") return missingUri()
    return session?.subscribe(uri, limits.subscribedUris) === true
      ? "{}"
      : RpcError.invalidParams(`A session subscribes to at most ${limits.subscribedUris} resources`)
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

/** What an open stream runs: nothing of the author's, and for as long as its client wants. */
export const sessionStream = (session: SessionFacts): Running => ({
  name: "the stream of a session",
  kind: "listen",
  effect: (call) => Effect.callback<never>(() => Effect.sync(session.attach((text) => call.tell(text)))),
  services: Context.empty(),
  timeout: undefined,
  died: (reference) => RpcError.internal(`Internal error (reference ${reference})`)
})

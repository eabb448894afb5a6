/**
 * A request through a router of this process: its middleware, its route, its response, without a socket.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** What came of a request. */
export interface Outcome {
  /** What would have been sent. */
  readonly response: HttpClientResponse.HttpClientResponse
  /** What the route died or failed of, where it did. */
  readonly cause: Cause.Cause<unknown> | undefined
}

/** Runs a request. Interrupting it interrupts the route, and it ends as interrupted where its route does. */
export const inProcess = (
  router: HttpRouter.HttpRouter,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    let sent = HttpServerResponse.empty({ status: 500 })
    let broken: Cause.Cause<unknown> | undefined
    const route = Effect.onError(router.asHttpEffect(), (cause) =>
      Effect.sync(() => {
        broken = cause
      })
    )
    const handled = HttpEffect.toHandled(route, (_, response) =>
      Effect.sync(() => {
        sent = HttpEffect.scopeTransferToStream(response)
      })
    )
    const served = Effect.provideService(
      handled,
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromClientRequest(request)
    )
    // Effect makes a response of an interruption too, and its cause that of a defect.
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.exit(restore(served)), () =>
        broken !== undefined && Cause.hasInterruptsOnly(broken)
          ? Effect.failCause(broken as Cause.Cause<never>)
          : Effect.succeed({ response: HttpServerResponse.toClientResponse(sent, { request }), cause: broken })
      )
    )
  })

/**
 * Sends typed requests and gives their answers: ids, the envelope of the revision, progress, errors with their method
 * and server. It knows no tool and no byte.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Result from "effect/Result"
import type { JsonObject } from "@treadle/protocol/json"
import type { Notification, RequestId } from "@treadle/protocol/rpc"
import {
  ClientRequest,
  KnownNotification,
  type Implementation,
  type Progress as WireProgress
} from "@treadle/protocol/schema"
import type { OnNoise } from "../ClientSettings.ts"
import { McpError, McpReason } from "../McpError.ts"
import type { Answer, ExchangeSink, Transport } from "../transport/Transport.ts"
import type { GiveUp } from "./Deadline.ts"
import { Waiters } from "./Waiters.ts"

/** What one request wants beside its answer. */
export interface ExchangeOptions {
  /** Headers that repeat arguments. */
  readonly mirrored?: ReadonlyArray<readonly [string, string]>
  /** Asks for progress and gets it. */
  readonly onProgress?: ((progress: WireProgress) => void) | undefined
  /** Gets every notification of the request, progress included. */
  readonly onNotification?: ((notification: Notification) => void) | undefined
  readonly giveUp?: GiveUp
}

/** The result of a request. */
export interface Arrived {
  readonly result: JsonObject
  /** What a handler in the same process died of. */
  readonly cause?: unknown
}

/** One session's way of sending requests. */
export interface ClientEngine {
  readonly kind: Transport["kind"]
  readonly server: string
  /**
   * Sends a request of a revision. Interrupting it cancels it.
   *
   * Results are not read here: their form belongs to whoever asked.
   */
  readonly exchange: (
    version: string,
    request: ClientRequest,
    options?: ExchangeOptions
  ) => Effect.Effect<Arrived, McpError>
  /** The error of a request. */
  readonly error: (request: ClientRequest, reason: McpReason, cause?: unknown) => McpError
}

/** The engine over a transport; what still waits when the scope closes fails with `Closed`. */
export const makeEngine = (
  transport: Transport,
  client: Implementation,
  onNoise: OnNoise
): Effect.Effect<ClientEngine, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Engine(transport, client, onNoise)),
    (engine) => Effect.sync(() => engine.close())
  )

class Engine implements ClientEngine {
  readonly kind: Transport["kind"]
  readonly server: string
  readonly #transport: Transport
  readonly #client: Implementation
  readonly #onNoise: OnNoise
  readonly #waiters = new Waiters()
  #lastId = 0

  constructor(transport: Transport, client: Implementation, onNoise: OnNoise) {
    this.kind = transport.kind
    this.server = transport.server
    this.#transport = transport
    this.#client = client
    this.#onNoise = onNoise
  }

  close(): void {
    this.#waiters.close()
  }

  readonly error = (request: ClientRequest, reason: McpReason, cause?: unknown): McpError =>
    new McpError({
      reason,
      method: request.method,
      server: this.server,
      ...(request.method === "tools/call" ? { tool: request.params.name } : {}),
      ...(cause === undefined ? {} : { cause })
    })

  readonly exchange = (
    version: string,
    request: ClientRequest,
    options: ExchangeOptions = {}
  ): Effect.Effect<Arrived, McpError> =>
    Effect.callback<Arrived, McpError>((resume) => {
      if (this.#waiters.closed) return resume(Effect.fail(this.error(request, new McpReason.Closed({}))))
      const id = ++this.#lastId
      const progress = options.onProgress === undefined ? {} : { progressToken: id }
      const message = ClientRequest.toMessage(id, request, { version, client: this.#client, ...progress })
      let giveUp = (_why?: string): void => {}
      const waiter = this.#waiters.add(
        () => settle(Effect.fail(this.error(request, new McpReason.Closed({})))) && giveUp()
      )
      const settle = (outcome: Effect.Effect<Arrived, McpError>): boolean => {
        const first = waiter.settle()
        if (first) resume(outcome)
        return first
      }
      const sink: ExchangeSink = {
        notify: (notification) => {
          if (waiter.waits()) this.#notify(notification, id, options)
        },
        answer: (answer) => settle(this.#outcome(request, answer)),
        fail: (reason) => settle(Effect.fail(this.error(request, reason, causeOf(reason))))
      }
      giveUp = this.#transport.exchange({ request: message, mirrored: options.mirrored ?? [] }, sink)
      return Effect.sync(() => {
        if (waiter.settle()) giveUp(options.giveUp?.why)
      })
    })

  #outcome(request: ClientRequest, { cause, message, status }: Answer): Effect.Effect<Arrived, McpError> {
    if (message._tag === "Result") {
      return Effect.succeed(cause === undefined ? { result: message.result } : { result: message.result, cause })
    }
    const { code, data, message: text } = message.error
    const more = { ...(data === undefined ? {} : { data }), ...(status === undefined ? {} : { status }) }
    return Effect.fail(this.error(request, new McpReason.Rpc({ code, message: text, ...more }), cause))
  }

  #notify(notification: Notification, id: RequestId, options: ExchangeOptions): void {
    const known = KnownNotification.decode(notification)
    if (known !== undefined && Result.isFailure(known)) {
      return this.#onNoise(JSON.stringify(notification.params), known.failure.problems.join("; "))
    }
    try {
      options.onNotification?.(notification)
      const typed = known?.success
      if (typed?.method === "notifications/progress" && typed.params.progressToken === id) {
        options.onProgress?.(typed.params)
      }
    } catch (error) {
      this.#onNoise(String(error), `a listener to ${notification.method} threw`)
    }
  }
}

const causeOf = (reason: McpReason): unknown => (reason._tag === "Transport" ? reason.cause : undefined)

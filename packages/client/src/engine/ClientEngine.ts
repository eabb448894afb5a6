/**
 * Sends typed requests and gives their answers: ids, the envelope of the revision, progress, errors with their method
 * and server. What the server says or asks by itself is handed on. It knows no tool and no byte.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Result from "effect/Result"
import type { JsonObject } from "@treadle/protocol/json"
import type { Notification, Request, RequestId } from "@treadle/protocol/rpc"
import {
  KnownNotification,
  type ClientRequest,
  type Meta,
  type Progress as WireProgress
} from "@treadle/protocol/schema"
import type { OnNoise } from "../ClientSettings.ts"
import { McpReason, type McpError } from "../McpError.ts"
import type { Answer, ExchangeSink, Posted, Transport } from "../transport/Transport.ts"
import type { Deadline } from "./Deadline.ts"
import { EnvelopeWriter, type Envelope, type Sender } from "./opening/Envelope.ts"
import { requestError } from "./RequestError.ts"
import { inSpan, isTraced } from "./RequestSpans.ts"
import { Waiters } from "./Waiters.ts"

/** What one request wants beside its answer. */
export interface ExchangeOptions {
  /** Headers that repeat arguments. */
  readonly mirrored?: ReadonlyArray<readonly [string, string]>
  /** Asks for progress and gets it. */
  readonly onProgress?: ((progress: WireProgress) => void) | undefined
  /** Gets every notification of the request, progress included. */
  readonly onNotification?: ((notification: Notification) => void) | undefined
  /** Something was heard of the server on the way of this request. */
  readonly onHeard?: () => void
  readonly deadline?: Deadline | undefined
  /** Whether progress extends the deadline. */
  readonly extend?: boolean
  readonly meta?: Meta | undefined
}

/** The result of a request. */
export interface Arrived {
  readonly result: JsonObject
  /** The id that a new compat session was given. */
  readonly session?: string
  /** What a handler in the same process died of. */
  readonly cause?: unknown
}

/** A request that runs. */
export interface Running {
  readonly request: ClientRequest
  readonly deadline: Deadline | undefined
}

/** Where goes what the server says by itself. */
export interface Inbox {
  /** A notification, wherever it came. */
  readonly notify: (notification: KnownNotification) => void
  /** @param during the request on whose stream it came, where that is known */
  readonly request: (request: Request, during: Running | undefined) => void
  /** The answer to a request that was given up before. */
  readonly late: (message: Answer["message"]) => void
  readonly ended: (reason: McpReason) => void
}

/** One link's way of sending requests. */
export interface ClientEngine {
  readonly transport: Transport
  readonly server: string
  /** Whatever is sent from now on goes in this envelope. */
  readonly speak: (envelope: Envelope) => void
  /**
   * Sends a request. Interrupting it cancels it.
   *
   * Results are not read here: their form belongs to whoever asked.
   */
  readonly exchange: (request: ClientRequest, options?: ExchangeOptions) => Effect.Effect<Arrived, McpError>
  /** Sends a message that is not answered. */
  readonly post: (message: Posted) => Effect.Effect<void, McpReason>
  /** The error of a request. */
  readonly error: (request: ClientRequest, reason: McpReason, cause?: unknown) => McpError
  /** The requests that wait for their answer. */
  readonly running: () => Iterable<Running>
  /** Nothing more will come: whoever waits fails with this reason. */
  readonly end: (reason: McpReason) => void
  /** Waits until no request waits for its answer. */
  readonly idle: Effect.Effect<void>
  /** When the server was last heard of, in milliseconds. */
  readonly lastHeard: () => number
  /** How often it was heard of. */
  readonly timesHeard: () => number
  /** Takes a message that came outside a request. */
  readonly receive: {
    readonly notify: (notification: Notification) => void
    readonly request: (request: Request) => void
  }
}

/** What an engine stands on. */
export interface EngineParts {
  readonly transport: Transport
  readonly sender: Sender
  readonly inbox: Inbox
  readonly counters: Counters
  readonly onNoise: OnNoise
}

/** What a session has counted. */
export interface Counters {
  /** Answers that came too late: their requests were given up. */
  late: number
  /** Links that were opened: one, and one for each recovery. */
  links: number
}

/** The engine over a transport; what still waits when the scope closes fails with `Closed`. */
export const makeEngine = (parts: EngineParts): Effect.Effect<ClientEngine, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.clockWith((clock) => Effect.sync(() => new Engine(parts, () => clock.currentTimeMillisUnsafe()))),
    (engine) => Effect.sync(() => engine.close())
  )

class Engine implements ClientEngine {
  readonly transport: Transport
  readonly server: string
  readonly #parts: EngineParts
  readonly #now: () => number
  readonly #waiters = new Waiters<Running>()
  readonly #envelopes: EnvelopeWriter
  #heard: number
  #timesHeard = 0
  #lastId = 0
  /** Why the link is over, once it is. */
  #ended: McpReason = new McpReason.Closed({})

  constructor(parts: EngineParts, now: () => number) {
    this.transport = parts.transport
    this.server = parts.transport.server
    this.#parts = parts
    this.#envelopes = new EnvelopeWriter(parts.sender)
    this.#now = now
    this.#heard = now()
    parts.transport.attach({
      ...this.receive,
      late: (message) => {
        parts.counters.late++
        parts.inbox.late(message)
      },
      ended: (reason) => {
        this.#ended = reason
        parts.inbox.ended(reason)
      }
    })
  }

  close(): void {
    this.#waiters.close()
  }

  readonly end = (reason: McpReason): void => {
    this.#ended = reason
    this.close()
  }

  readonly speak = (envelope: Envelope): void => this.#envelopes.use(envelope)

  readonly running = (): Iterable<Running> => this.#waiters.all()

  readonly idle: Effect.Effect<void> = Effect.callback((resume) => {
    this.#waiters.whenEmpty(() => resume(Effect.void))
  })

  readonly lastHeard = (): number => this.#heard

  readonly timesHeard = (): number => this.#timesHeard

  readonly error = (request: ClientRequest, reason: McpReason, cause?: unknown): McpError =>
    requestError(this.server, request, reason, cause)

  readonly exchange = (request: ClientRequest, options: ExchangeOptions = {}): Effect.Effect<Arrived, McpError> =>
    Effect.withFiber((fiber) => {
      const id = ++this.#lastId
      if (!isTraced(fiber)) return this.#exchange(id, request, options)
      const { session } = this.#envelopes
      const facts = { version: this.#envelopes.version, session: session?.id, http: this.transport.kind === "http" }
      return inSpan(id, request, facts, (trace) =>
        this.#exchange(id, request, { ...options, meta: { ...trace, ...options.meta } })
      )
    })

  #exchange(id: RequestId, request: ClientRequest, options: ExchangeOptions): Effect.Effect<Arrived, McpError> {
    return Effect.callback<Arrived, McpError>((resume) => {
      if (this.#waiters.closed) {
        const detail = this.#ended.message
        return resume(Effect.fail(this.error(request, new McpReason.Closed({ detail, notRun: true }))))
      }
      const running: Running = { request, deadline: options.deadline }
      let giveUp = (_why?: string): void => {}
      let forget = (): void => {}
      const waiter = this.#waiters.add(running, () => settle(Effect.fail(this.error(request, this.#ended))) && giveUp())
      const settle = (outcome: Effect.Effect<Arrived, McpError>): boolean => {
        const first = waiter.settle()
        if (!first) return false
        forget()
        resume(outcome)
        return true
      }
      const own = this.#own(id, options)
      const sink: ExchangeSink = {
        heard: () => {
          this.#hear()
          options.onHeard?.()
        },
        notify: (notification) => {
          if (waiter.waits()) this.#notify(notification, own)
        },
        request: (message) => this.#request(message, running),
        answer: (answer) => settle(this.#outcome(request, answer)),
        fail: (reason) => settle(Effect.fail(this.error(request, reason, causeOf(reason))))
      }
      giveUp = this.transport.exchange(
        {
          request: this.#dressed(id, request, options),
          mirrored: options.mirrored ?? [],
          cancellable: request.method !== "initialize",
          session: this.#envelopes.session
        },
        sink
      )
      const { deadline } = options
      if (deadline !== undefined && waiter.waits()) {
        forget = deadline.onExpiry((error) => settle(Effect.fail(error)) && giveUp(deadline.why))
      }
      return Effect.sync(() => {
        forget()
        if (waiter.settle()) giveUp()
      })
    })
  }

  readonly post = (message: Posted): Effect.Effect<void, McpReason> =>
    Effect.callback((resume) => {
      this.transport.post(message, this.#envelopes.session, (failure) =>
        resume(failure === undefined ? Effect.void : Effect.fail(failure))
      )
    })

  readonly receive: ClientEngine["receive"] = {
    notify: (notification) => this.#notify(notification, undefined),
    request: (request) => this.#request(request, undefined)
  }

  #dressed(id: RequestId, request: ClientRequest, { extend, meta, onProgress }: ExchangeOptions): Request {
    const progress = onProgress !== undefined || extend === true
    return this.#envelopes.write(id, request, { progress, meta })
  }

  #hear(): void {
    this.#heard = this.#now()
    this.#timesHeard++
  }

  #request(request: Request, during: Running | undefined): void {
    this.#hear()
    this.#parts.inbox.request(request, during)
  }

  #outcome(request: ClientRequest, answer: Answer): Effect.Effect<Arrived, McpError> {
    this.#hear()
    const { cause, message, session, status } = answer
    if (message._tag === "Result") {
      return Effect.succeed({
        result: message.result,
        ...(session === undefined ? {} : { session }),
        ...(cause === undefined ? {} : { cause })
      })
    }
    const { code, data, message: text } = message.error
    const more = { ...(data === undefined ? {} : { data }), ...(status === undefined ? {} : { status }) }
    return Effect.fail(this.error(request, new McpReason.Rpc({ code, message: text, ...more }), cause))
  }

  /** The hearer of one request's notifications; only progress that grows extends its time. */
  #own(id: RequestId, options: ExchangeOptions): Hearer {
    let furthest = -Infinity
    return (notification, known) => {
      options.onNotification?.(notification)
      if (known?.method !== "notifications/progress" || known.params.progressToken !== id) return
      if (options.extend === true && known.params.progress > furthest) options.deadline?.extend()
      furthest = Math.max(furthest, known.params.progress)
      options.onProgress?.(known.params)
    }
  }

  #notify(notification: Notification, own: Hearer | undefined): void {
    this.#hear()
    const decoded = KnownNotification.decode(notification)
    if (decoded !== undefined && Result.isFailure(decoded)) {
      return this.#parts.onNoise(JSON.stringify(notification.params), decoded.failure.problems.join("; "))
    }
    const known = decoded?.success
    try {
      own?.(notification, known)
      if (known !== undefined) this.#parts.inbox.notify(known)
    } catch (error) {
      this.#parts.onNoise(String(error), `a listener to ${notification.method} threw`)
    }
  }
}

type Hearer = (notification: Notification, known: KnownNotification | undefined) => void

const causeOf = (reason: McpReason): unknown => (reason._tag === "Transport" ? reason.cause : undefined)

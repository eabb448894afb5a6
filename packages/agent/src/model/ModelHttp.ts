/**
 * One request to a model's service: its answer as JSON, or as a stream of events that a reader of the wire turns into
 * parts. Whoever stops waiting breaks the connection.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import { SseReader, type SseEvent } from "@treadle/protocol/framing"
import { isEventStreamType } from "@treadle/protocol/http"
import { censorOf, parseJson, type Json } from "@treadle/protocol/json"
import { causeText, excerpt, invalid, refused, unreachable, type Exchange } from "./HttpFailure.ts"
import type { ModelPeer, SentHeaders } from "./ModelSettings.ts"

/** What an event of a stream comes to. */
export interface StreamStep {
  readonly parts: ReadonlyArray<Response.StreamPartEncoded>
  /** Set where nothing is read after it: the answer is complete, or it failed after these parts. */
  readonly over?: "done" | AiError.AiErrorReason
}

/** Reads the stream of one answer. It has state, so each stream has a reader of its own. */
export interface StreamReading {
  readonly event: (event: SseEvent) => StreamStep
  /** The stream is over without a last event. */
  readonly end: () => StreamStep
}

/** One request that is about to be sent. */
interface Ready {
  readonly exchange: Exchange
  readonly init: {
    readonly method: "POST"
    readonly headers: Headers
    readonly body: string
    readonly redirect: "manual"
  }
}

/** The headers, or the first that cannot be sent; the words of the platform would show its value. */
const headersOf = (entries: SentHeaders["headers"]): Headers | string => {
  const headers = new Headers()
  for (const [name, value] of entries) {
    try {
      headers.set(name, value)
    } catch {
      return name
    }
  }
  return headers
}

const prepare = (peer: ModelPeer, body: string): Effect.Effect<Ready, AiError.AiErrorReason> =>
  Effect.matchEffect(peer.headers, {
    onFailure: ({ message }) =>
      Effect.fail(
        new AiError.AuthenticationError({ kind: "MissingKey", description: `${message}; the request was not sent` })
      ),
    onSuccess: ({ headers: entries, secrets }) => {
      const headers = headersOf(entries)
      if (typeof headers === "string") {
        const why = `the value of the header ${JSON.stringify(headers)} cannot be sent: it is no line of Latin-1`
        return Effect.fail(new AiError.AuthenticationError({ kind: "Unknown", description: why }))
      }
      return Effect.succeed<Ready>({
        exchange: { shown: peer.shown, hasKey: peer.hasKey, censor: censorOf(secrets) },
        init: { method: "POST", headers, body, redirect: "manual" }
      })
    }
  })

/**
 * Waits for the service, for no longer than it may be silent.
 *
 * @param broken what it means where the promise rejects
 */
const awaiting = <A>(
  { timeout }: ModelPeer,
  exchange: Exchange,
  broken: string,
  run: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, AiError.NetworkError> =>
  Effect.timeoutOrElse(
    Effect.tryPromise({ try: run, catch: (cause) => unreachable(exchange, `${broken}: ${causeText(cause)}`) }),
    {
      duration: timeout,
      orElse: () =>
        Effect.fail(unreachable(exchange, `nothing came for ${timeout} ms; raise \`timeout\` to wait longer`))
    }
  )

const tooLarge = ({ bodyLimit }: ModelPeer, exchange: Exchange) =>
  invalid(exchange, `the answer is larger than ${bodyLimit} bytes; raise \`bodyLimit\` to read it`)

/** The body as text, or `undefined` where it is larger than the limit; whoever stops early closes the connection. */
const readText = async (response: globalThis.Response, limit: number): Promise<string | undefined> => {
  const reader = response.body?.getReader()
  if (reader === undefined) return ""
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length
    if (size > limit) {
      await reader.cancel().catch(() => {})
      return undefined
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}

/** Of a refusal no more is read. */
const refusalLimit = 64 * 1024

interface Received {
  readonly response: globalThis.Response
  readonly text: string | undefined
}

const receive = (peer: ModelPeer, { exchange, init }: Ready): Effect.Effect<Received, AiError.NetworkError> =>
  awaiting(peer, exchange, "no answer came", async (signal) => {
    // Once a request is garbage, Node's fetch no longer hears its signal, so it is held until the body is read.
    const request = new Request(peer.url, { ...init, signal })
    const response = await peer.fetch(request)
    const text = await readText(response, response.ok ? peer.bodyLimit : refusalLimit)
    return { request, response, text }
  })

const refusal = (exchange: Exchange, response: globalThis.Response, text: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.fail(refused(exchange, { status: response.status, header: (name) => response.headers.get(name), text, now }))
  )

const notJson = (exchange: Exchange, response: globalThis.Response, text: string) => {
  const type = response.headers.get("content-type") ?? "not said"
  const begins = text === "" ? "is empty" : `begins with ${JSON.stringify(excerpt(text, exchange))}`
  return invalid(exchange, `the body is not JSON (its type is ${excerpt(type, exchange)}) and ${begins}; check \`url\``)
}

/** Sends a request and reads the whole answer. */
export const postJson = <A>(
  peer: ModelPeer,
  body: string,
  read: (json: Json, exchange: Exchange) => Effect.Effect<A, AiError.AiErrorReason>
): Effect.Effect<A, AiError.AiErrorReason> =>
  Effect.flatMap(prepare(peer, body), (ready) =>
    Effect.flatMap(receive(peer, ready), ({ response, text }) => {
      const { exchange } = ready
      if (!response.ok) return refusal(exchange, response, text ?? "")
      if (text === undefined) return Effect.fail(tooLarge(peer, exchange))
      const json = parseJson(text)
      return json === undefined ? Effect.fail(notJson(exchange, response, text)) : read(json, exchange)
    })
  )

type Pull = Effect.Effect<
  readonly [Response.StreamPartEncoded, ...Array<Response.StreamPartEncoded>],
  AiError.AiErrorReason | Cause.Done
>

/** The parts of a stream, as its chunks come. */
class PartReader {
  readonly #events: SseReader
  readonly #decoder = new TextDecoder()
  readonly #reading: StreamReading
  readonly #limit: number
  #size = 0
  #over: StreamStep["over"]

  constructor(reading: StreamReading, limit: number) {
    this.#reading = reading
    this.#limit = limit
    this.#events = new SseReader(limit)
  }

  /** How it ends after the parts that were given. */
  get over(): StreamStep["over"] {
    return this.#over
  }

  /** @param tooLarge what to fail with where the answer is */
  push(chunk: Uint8Array, tooLarge: () => AiError.AiErrorReason): Array<Response.StreamPartEncoded> {
    const parts: Array<Response.StreamPartEncoded> = []
    this.#size += chunk.length
    for (const event of this.#events.push(this.#decoder.decode(chunk, { stream: true }))) {
      if (event.data === "") continue
      this.#take(this.#reading.event(event), parts)
      if (this.#over !== undefined) return parts
    }
    if (this.#size > this.#limit || this.#events.overflow) this.#over = tooLarge()
    return parts
  }

  end(): Array<Response.StreamPartEncoded> {
    const parts: Array<Response.StreamPartEncoded> = []
    this.#take(this.#reading.end(), parts)
    this.#over ??= "done"
    return parts
  }

  #take(step: StreamStep, parts: Array<Response.StreamPartEncoded>): void {
    parts.push(...step.parts)
    this.#over = step.over
  }
}

const pullFrom = (
  peer: ModelPeer,
  exchange: Exchange,
  body: ReadableStreamDefaultReader<Uint8Array>,
  parts: PartReader
): Pull => {
  const next = awaiting(peer, exchange, "the connection broke before the answer was complete", () => body.read())
  const large = () => tooLarge(peer, exchange)
  const pull: Pull = Effect.suspend(() => {
    const ended = parts.over
    if (ended !== undefined) return ended === "done" ? Cause.done() : Effect.fail(ended)
    return Effect.flatMap(next, ({ done, value }) => {
      const [first, ...others] = done ? parts.end() : parts.push(value, large)
      return first === undefined ? pull : Effect.succeed([first, ...others] as const)
    })
  })
  return pull
}

/** What is open while a stream is read. A request is held, because Node's fetch does not hear the signal of garbage. */
interface Connection {
  readonly controller: AbortController
  request?: Request
}

const connection = Effect.acquireRelease(
  Effect.sync((): Connection => ({ controller: new AbortController() })),
  (connection) =>
    Effect.sync(() => {
      connection.controller.abort()
      delete connection.request
    })
)

/** Sends a request and gives the parts of its answer as they come. */
export const postStream = (
  peer: ModelPeer,
  body: string,
  makeReading: (exchange: Exchange) => StreamReading
): Stream.Stream<Response.StreamPartEncoded, AiError.AiErrorReason> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { exchange, init } = yield* prepare(peer, body)
      const open = yield* connection
      const response = yield* awaiting(peer, exchange, "no answer came", () => {
        open.request = new Request(peer.url, { ...init, signal: open.controller.signal })
        return peer.fetch(open.request)
      })
      if (!response.ok || !isEventStreamType(response.headers.get("content-type"))) {
        return yield* noStream(peer, exchange, response)
      }
      const reader = response.body?.getReader()
      if (reader === undefined) return yield* invalid(exchange, "the stream has no body")
      const parts = new PartReader(makeReading(exchange), peer.bodyLimit)
      return Stream.fromPull(Effect.succeed(pullFrom(peer, exchange, reader, parts)))
    })
  )

/** Why a response without a stream is a failure. */
const noStream = (peer: ModelPeer, exchange: Exchange, response: globalThis.Response) =>
  Effect.flatMap(
    awaiting(peer, exchange, "the connection broke while the answer was read", () => readText(response, refusalLimit)),
    (text = "") => {
      if (!response.ok) return refusal(exchange, response, text)
      const type = excerpt(response.headers.get("content-type") ?? "not said", exchange)
      const begins = JSON.stringify(excerpt(text, exchange))
      return Effect.fail(
        invalid(exchange, `a stream was asked for, and the type of the answer is ${type}; it begins with ${begins}`)
      )
    }
  )

/**
 * A response as a value that any platform can send: whole, or with a stream of the web as its body, whose queue is the
 * bound.
 */
import * as Effect from "effect/Effect"
import { HeaderName } from "@treadle/protocol/http"
import type { Answer } from "../engine/Sink.ts"
import { Waiting } from "../engine/Waiting.ts"
import type { HttpWriter } from "./HttpReply.ts"

/** A response. */
export interface HttpResponse {
  readonly status: number
  /** The media type of the body, where there is one. */
  readonly type?: string | undefined
  /** The other headers, where there are any, by names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The text of the body, empty where there is none; or a stream of text in UTF-8. */
  readonly body: string | ReadableStream<Uint8Array>
}

const json = "application/json"
/** Beside the media type of a stream of events: nobody on its way keeps it, or holds it back. */
export const eventHeaders = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }

const sessionHeader = (session: string | undefined) => (session === undefined ? {} : { [HeaderName.session]: session })

/** A response without a body. */
export const noBody = (status: number): HttpResponse => ({ status, body: "" })

/** An answer as a whole response. */
export const answered = (status: number, { challenge, session, text }: Answer): HttpResponse => {
  const type = text === "" ? undefined : json
  if (challenge === undefined && session === undefined) return { status, type, headers: undefined, body: text }
  const challenged = challenge === undefined ? {} : { "www-authenticate": challenge }
  return { status, type, headers: { ...challenged, ...sessionHeader(session) }, body: text }
}

/** Bytes that may wait in a stream before its writer is asked to wait. */
const highWater = 65_536

const encoder = new TextEncoder()

/** Gives one response: a whole one, or a stream. */
export class StreamWriter implements HttpWriter {
  /** Is called when the reader leaves the stream. */
  onGone: () => void = () => {}
  readonly #respond: (response: HttpResponse) => void
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  readonly #waiting = new Waiting()

  constructor(respond: (response: HttpResponse) => void) {
    this.#respond = respond
  }

  get drained(): Effect.Effect<void> {
    return Effect.suspend(() => (this.unread() < highWater ? Effect.void : this.#waiting.next()))
  }

  json(status: number, answer: Answer): void {
    this.#respond(answered(status, answer))
  }

  open(session?: string): void {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#waiting.wake(),
        cancel: () => {
          this.#controller = undefined
          this.#waiting.wake()
          this.onGone()
        }
      },
      new ByteLengthQueuingStrategy({ highWaterMark: highWater })
    )
    this.#respond({
      status: 200,
      type: "text/event-stream",
      headers: { ...eventHeaders, ...sessionHeader(session) },
      body
    })
  }

  write(text: string): boolean {
    if (this.#controller === undefined) return true
    this.#controller.enqueue(encoder.encode(text))
    return this.unread() < highWater
  }

  end(text: string): void {
    if (this.#controller === undefined) return
    if (text !== "") this.#controller.enqueue(encoder.encode(text))
    this.#controller.close()
    this.#controller = undefined
    this.#waiting.wake()
  }

  gone(): boolean {
    return this.#controller === undefined
  }

  unread(): number {
    const room = this.#controller?.desiredSize
    return room === undefined || room === null ? 0 : highWater - room
  }
}

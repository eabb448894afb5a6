/**
 * The reply to one POST: JSON, or events once something was sent ahead of the answer or the call lasts, where the client
 * takes them. It is decided as late as possible, so that a status can still be chosen (HTTP-21).
 *
 * A door gives it a writer; the rules are here.
 */
import * as Effect from "effect/Effect"
import { printSse, sseComment, sseRetry } from "@treadle/protocol/framing"
import type { Accepted } from "@treadle/protocol/http"
import type { Limits } from "../Limits.ts"
import type { Events } from "../engine/sessions/Events.ts"
import type { Answer, Sink } from "../engine/Sink.ts"
import { statusOf } from "./HttpStatus.ts"

/** What a door can do with its response. */
export interface HttpWriter {
  /** Writes a whole response: the text of an answer, the session that it opens, its challenge. */
  readonly json: (status: number, answer: Answer) => void
  /** Starts an event stream with status 200. */
  readonly open: (session?: string) => void
  /** Writes to the stream. @returns `false` when the client reads too slowly */
  readonly write: (text: string) => boolean
  /** Ends the stream after this text. */
  readonly end: (text: string) => void
  /** Whether the client has closed the connection. */
  readonly gone: () => boolean
  /** Bytes that the client has not read yet. */
  readonly unread: () => number
  /** Completes when the client has caught up, or is gone. */
  readonly drained: Effect.Effect<void>
}

/** Which form replies have: `auto` by the rules, or one of them always, where the client takes it. */
export type ReplyForm = "auto" | "json" | "events"

export interface ReplySettings {
  readonly limits: Limits
  readonly form: ReplyForm
  readonly onDropped: () => void
}

/** The events of one connection, as they are. */
const eventsOf = (writer: HttpWriter): Events => ({
  send: (text, fields) => writer.write(printSse(text, fields)),
  end: (text, fields) => writer.end(text === undefined ? "" : printSse(text, fields)),
  comment: () => void writer.write(sseComment),
  pause: (retry) => writer.end(sseRetry(retry)),
  gone: () => writer.gone(),
  unread: () => writer.unread(),
  drained: writer.drained
})

/** What is said where there is no answer. */
const nothing: Answer = { text: "" }

export class HttpReply implements Sink {
  readonly #writer: HttpWriter
  readonly #settings: ReplySettings
  readonly #takesEvents: boolean
  /** Whether the answer is an event although nothing came before it. */
  readonly #always: boolean
  #through: ((connection: Events) => Events) | undefined
  #events: Events | undefined
  #spoke = 0

  constructor(writer: HttpWriter, accepts: Accepted, settings: ReplySettings) {
    this.#writer = writer
    this.#settings = settings
    this.#takesEvents = accepts.events && (settings.form !== "json" || !accepts.json)
    this.#always = this.#takesEvents && (!accepts.json || settings.form === "events")
  }

  /** Starts an event stream before there is anything to say; a comment tells the client that it is open. */
  begin(): void {
    this.#start().comment()
  }

  get mute(): boolean {
    return !this.#takesEvents
  }

  get room(): Effect.Effect<void> {
    return (this.#events ?? this.#writer).drained
  }

  full(): boolean {
    return this.#events !== undefined && this.#events.unread() > this.#settings.limits.unreadBytes
  }

  post(text: string, needed = false): boolean {
    if (this.#takesEvents) return this.#start().send(text, needed ? { needed } : undefined)
    this.#settings.onDropped()
    return true
  }

  answer(answer: Answer): void {
    const status = statusOf(answer)
    if (this.#events === undefined && (!this.#always || status !== 200)) {
      return this.#writer.json(status, answer)
    }
    this.#start(answer.session).end(answer.text)
  }

  /** A stream without an answer, or a status without a body: nothing that could be taken for JSON. */
  abandon(): void {
    if (this.#events === undefined && !this.#takesEvents) return this.#writer.json(202, nothing)
    this.#start().end()
  }

  keep(through: (connection: Events) => Events): void {
    this.#through = through
  }

  pause(retry: number): void {
    if (this.#takesEvents && this.#through !== undefined) this.#start().pause(retry)
  }

  tick(now: number, since: number): void {
    const { keepAlive, streamAfter } = this.#settings.limits
    if (this.#events === undefined) {
      if (!this.#takesEvents || now - since < streamAfter) return
      this.#start()
      this.#spoke = now
    } else if (this.#spoke === 0) {
      this.#spoke = now
    } else if (now - this.#spoke >= keepAlive) {
      this.#spoke = now
      if (this.#events.unread() === 0) this.#events.comment()
    }
  }

  #start(session?: string): Events {
    if (this.#events !== undefined) return this.#events
    this.#writer.open(session)
    const connection = eventsOf(this.#writer)
    this.#events = this.#through === undefined ? connection : this.#through(connection)
    return this.#events
  }
}

/**
 * Streams of a session whose events have ids and are kept, so that a client may lose its connection and lose nothing.
 */
import * as Effect from "effect/Effect"
import { Waiting } from "../Waiting.ts"
import type { EventRecord } from "./EventLog.ts"
import type { EventFields, Events } from "./Events.ts"

/** The first event of a stream, so that there is an id to come back with (CHTTP-03). */
const prime = (connection: Events, record: EventRecord): void => void connection.send("", { id: record.keep("") })

/** The stream of a call. It lasts as long as the call, on one connection after another, or on none. */
class CallEvents implements Events {
  readonly #record: EventRecord
  readonly #polls: boolean
  readonly #waiting = new Waiting()
  #connection: Events | undefined

  constructor(record: EventRecord, connection: Events, polls: boolean) {
    this.#record = record
    this.#connection = connection
    this.#polls = polls
    record.ended = false
    record.resume = (next, after) => this.#resume(next, after)
    if (polls) prime(connection, record)
  }

  send(text: string, fields?: EventFields): boolean {
    const id = this.#record.keep(text, fields?.needed)
    return this.#connection === undefined || this.#connection.send(text, { id })
  }

  end(text?: string): void {
    const fields = text === undefined ? undefined : { id: this.#record.keep(text) }
    this.#record.end(!this.gone())
    this.#connection?.end(text, fields)
    this.#connect(undefined)
  }

  comment(): void {
    this.#connection?.comment()
  }

  pause(retry: number): void {
    if (!this.#polls) return
    this.#connection?.pause(retry)
    this.#connect(undefined)
  }

  gone(): boolean {
    return this.#connection?.gone() ?? true
  }

  unread(): number {
    return this.#connection?.unread() ?? 0
  }

  /** Completes when the reader has caught up, or when it reads on another connection, or on none. */
  readonly drained: Effect.Effect<void> = Effect.suspend(() =>
    this.#connection === undefined ? Effect.void : Effect.raceFirst(this.#connection.drained, this.#waiting.next())
  )

  #connect(connection: Events | undefined): void {
    this.#connection = connection
    this.#waiting.wake()
  }

  #resume(connection: Events, after: number): Events {
    this.#connection?.end()
    this.#record.replay(connection, after)
    if (this.#record.ended) connection.end()
    this.#connect(this.#record.ended ? undefined : connection)
    return this
  }
}

/**
 * The stream of a call that is answered on it.
 *
 * @param polls whether its reader comes back to a stream that was closed (CHTTP-03, CHTTP-05)
 */
export const callEvents = (record: EventRecord, connection: Events, polls: boolean): Events =>
  new CallEvents(record, connection, polls)

/** The stream on which a session is told of changes: it ends with its connection, and may go on with the next one. */
export const sessionEvents = (record: EventRecord, connection: Events, polls: boolean): Events => {
  record.ended = false
  if (polls) prime(connection, record)
  return {
    send: (text) => connection.send(text, { id: record.keep(text) }),
    end: () => {
      record.ended = true
      connection.end()
    },
    comment: () => connection.comment(),
    pause: () => {},
    gone: () => connection.gone(),
    unread: () => connection.unread(),
    drained: connection.drained
  }
}

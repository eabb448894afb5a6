/**
 * What a session was sent on its streams, kept for a client that lost a connection and comes back for the rest
 * (CHTTP-11 to CHTTP-13). It is bounded: the oldest goes first, and what a stream has sent last stays.
 */
import type { Events } from "./Events.ts"
import type { RunningCall } from "../RunningCall.ts"

interface Kept {
  readonly number: number
  readonly id: string
  readonly text: string
  /** Whether the reader cannot do without it. */
  readonly needed: boolean
}

/** What an event, or a stream, costs beside its text, in characters. */
const overhead = 64

/** The events of one stream. */
export class EventRecord {
  /** What runs for as long as the connection, where the stream is one of changes. */
  listener: RunningCall | undefined
  /** Continues the stream on another connection, after the event of this number; absent where a new listener does. */
  resume: ((connection: Events, after: number) => Events) | undefined
  /** Whether nothing is going to be sent: then the whole record goes when room is needed. */
  ended = true
  size = 0
  readonly #key: string
  readonly #log: EventLog
  #kept: Array<Kept> = []
  #last = 0

  constructor(key: string, log: EventLog) {
    this.#key = key
    this.#log = log
  }

  /**
   * @param needed whether it is kept for as long as its stream goes on
   * @returns the id of the event, unlike any other of the session
   */
  keep(text: string, needed = false): string {
    const number = ++this.#last
    const id = `${this.#key}-${number}`
    this.#kept.push({ number, id, text, needed })
    this.#log.grow(this, text.length + overhead)
    return id
  }

  /** Whether a reader that has seen an event has seen all that there will ever be. */
  isOver(after: number): boolean {
    return this.ended && after >= this.#last
  }

  /** What was sent after an event, as far as it is kept. */
  after(number: number): ReadonlyArray<Kept> {
    return this.#kept.filter((event) => event.number > number)
  }

  /** Sends again what a reader has not seen. */
  replay(connection: Events, after: number): void {
    for (const { id, text } of this.after(after)) connection.send(text, { id })
  }

  /** Nothing more is sent. @param read whether somebody read the end of it: then it is kept only where there is room */
  end(read: boolean): void {
    this.ended = true
    if (read) this.#log.trim()
  }

  /** Forgets the oldest event that its reader can do without, and never the last. @returns how much room that gives */
  forget(): number {
    const at = this.#kept.findIndex(({ needed }, index) => !needed && index < this.#kept.length - 1)
    const [oldest] = at < 0 ? [] : this.#kept.splice(at, 1)
    const room = oldest === undefined ? 0 : oldest.text.length + overhead
    this.size -= room
    return room
  }
}

/** Where a reader stands in a stream. */
export interface Position {
  readonly record: EventRecord
  /** The number of the last event that it has seen. */
  readonly after: number
}

export class EventLog {
  readonly #limit: number
  readonly #records = new Map<string, EventRecord>()
  #size = 0
  #opened = 0

  /** @param limit the characters that are kept */
  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#size
  }

  /** Begins the record of a stream. */
  open(): EventRecord {
    const key = String(++this.#opened)
    const record = new EventRecord(key, this)
    this.#records.set(key, record)
    this.grow(record, overhead)
    return record
  }

  /** Where the reader of an event stands; `undefined` where its stream is not, or no longer, known. */
  find(id: string): Position | undefined {
    const [, key, number] = /^(\d{1,15})-(\d{1,15})$/.exec(id) ?? []
    const record = key === undefined ? undefined : this.#records.get(key)
    return record === undefined ? undefined : { record, after: Number(number) }
  }

  /** A stream keeps more. */
  grow(record: EventRecord, by: number): void {
    record.size += by
    this.#size += by
    this.trim(record)
  }

  /**
   * Makes room: streams that have ended go first, then the oldest events of the others.
   *
   * @param spared a stream that does not go, because it is written to
   */
  trim(spared?: EventRecord): void {
    if (this.#size <= this.#limit) return
    for (const [key, other] of this.#records) {
      if (other === spared || !other.ended) continue
      this.#records.delete(key)
      this.#size -= other.size
      if (this.#size <= this.#limit) return
    }
    for (const other of this.#records.values()) {
      for (let room = other.forget(); room > 0; room = other.forget()) {
        this.#size -= room
        if (this.#size <= this.#limit) return
      }
    }
  }
}

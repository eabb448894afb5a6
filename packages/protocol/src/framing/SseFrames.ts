/**
 * Server-sent events: printing them, and reading them from text that is cut anywhere.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** One event as a reader gets it. */
export interface SseEvent {
  /** `message` where the event has no name. */
  readonly event: string
  readonly data: string
  /** The last id that the stream named, this event's included. */
  readonly id?: string
  /** Milliseconds to wait before reconnecting, where this event said so. */
  readonly retry?: number
}

/** What an event may have beside its data. */
export interface SseFields {
  readonly id?: string
  /** The name of the event; `message` where it has none. */
  readonly event?: string
  /** Milliseconds. */
  readonly retry?: number
}

/** One event with a line of data, as MCP sends a message. */
export const printSse = (data: string, { event, id, retry }: SseFields = {}): string =>
  `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}${
    retry === undefined ? "" : `retry: ${retry}\n`
  }data: ${data}\n\n`

/** A comment: keeps a connection alive and means nothing (HTTP-13, HTTP-14). */
export const sseComment = ": \n\n"

/** How long to wait before coming back, without an event. @param retry milliseconds */
export const sseRetry = (retry: number): string => `retry: ${Math.max(0, Math.round(retry))}\n\n`

const lineEnd = /\r\n|\n|\r/g

/** Reads one stream. A carriage return ends its line at once; a line feed right after it belongs to it. */
export class SseReader {
  #buffer = ""
  #data: Array<string> = []
  #size = 0
  #event = ""
  #id: string | undefined
  #lastEventId: string | undefined
  #retry: number | undefined
  #first = true
  #afterReturn = false
  #overflow = false

  readonly #limit: number

  /** @param limit the most characters that one event may have: its lines of data and the line that is being read */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether an event was larger than the limit; nothing after it on this stream is read. */
  get overflow(): boolean {
    return this.#overflow
  }

  /** Where to take the stream up again: the id of the last event that was complete, one without data included. */
  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  /**
   * Reads the next text and gives the events that it completes. An event that is cut by the end is dropped.
   *
   * Each text is looked through once, so that a line in many pieces costs no more than its length.
   */
  push(chunk: string): ReadonlyArray<SseEvent> {
    const out: Array<SseEvent> = []
    const text = this.#opening(chunk)
    let start = 0
    lineEnd.lastIndex = 0
    for (let found = lineEnd.exec(text); found !== null && !this.#overflow; found = lineEnd.exec(text)) {
      const line = this.#buffer + text.slice(start, found.index)
      this.#buffer = ""
      this.#line(line, out)
      start = lineEnd.lastIndex
    }
    this.#buffer += text.slice(start)
    this.#afterReturn = chunk === "" ? this.#afterReturn : chunk.endsWith("\r")
    if (this.#buffer.length + this.#size > this.#limit) this.#overflow = true
    if (this.#overflow) this.#buffer = ""
    return out
  }

  /** The chunk without a byte order mark at the start of the stream and without the rest of a cut line end. */
  #opening(chunk: string): string {
    if (chunk === "") return chunk
    const first = this.#first
    this.#first = false
    const skipped = first ? chunk.startsWith("\uFEFF") : this.#afterReturn && chunk.startsWith("\n")
    return skipped ? chunk.slice(1) : chunk
  }

  #line(line: string, out: Array<SseEvent>): void {
    if (line === "") return this.#dispatch(out)
    if (line.length + this.#size > this.#limit) {
      this.#overflow = true
      return
    }
    const colon = line.indexOf(":")
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const raw = colon < 0 ? "" : line.slice(colon + 1)
    const value = raw.startsWith(" ") ? raw.slice(1) : raw
    if (field === "data") {
      this.#data.push(value)
      this.#size += line.length
    } else if (field === "event") this.#event = value
    else if (field === "id" && !value.includes("\0")) this.#id = value
    else if (field === "retry" && /^\d+$/.test(value)) this.#retry = Number(value)
  }

  #dispatch(out: Array<SseEvent>): void {
    this.#lastEventId = this.#id
    if (this.#data.length > 0 || this.#retry !== undefined) {
      out.push({
        event: this.#event === "" ? "message" : this.#event,
        data: this.#data.join("\n"),
        ...(this.#id === undefined ? {} : { id: this.#id }),
        ...(this.#retry === undefined ? {} : { retry: this.#retry })
      })
    }
    this.#data = []
    this.#size = 0
    this.#event = ""
    this.#retry = undefined
  }
}

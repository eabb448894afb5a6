/**
 * Cuts a stream of bytes into lines of text, one message each (STDIO-01).
 *
 * A line may come in any number of chunks; bytes are joined only then. A line that is too long or not UTF-8 is reported
 * in its place and the next one is read as if nothing had happened.
 */

/** One line, or why there is none in its place. */
export type Line =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "TooLong"; readonly limit: number }
  | { readonly _tag: "NotUtf8" }

/** Text of bytes, or `undefined` where they are not UTF-8. */
export type DecodeUtf8 = (bytes: Uint8Array) => string | undefined

/** UTF-8 by the web's own decoder. */
export const webUtf8 = (): DecodeUtf8 => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  return (bytes) => {
    try {
      return decoder.decode(bytes)
    } catch {
      return undefined
    }
  }
}

const lineFeed = 10
const carriageReturn = 13
/** What a line may have beside its text: a byte order mark and a carriage return. */
const slack = 4
const isBom = (bytes: Uint8Array) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

const join = (parts: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const out = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** Holds the beginning of the line that is being read. */
export class LineCutter {
  readonly #limit: number
  readonly #emit: (line: Line) => void
  readonly #decode: DecodeUtf8
  #rest: Array<Uint8Array> = []
  #restLength = 0
  #skipping = false
  #first = true

  /**
   * @param limit the longest line in bytes, its end not counted
   * @param emit called for each line in order; blank lines are left out
   * @param decode how bytes become text
   */
  constructor(limit: number, emit: (line: Line) => void, decode: DecodeUtf8 = webUtf8()) {
    this.#limit = limit
    this.#emit = emit
    this.#decode = decode
  }

  /** Reads the next bytes. They are not kept longer than their line. */
  push(chunk: Uint8Array): void {
    let start = this.#sound(chunk)
    for (let end = chunk.indexOf(lineFeed, start); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      this.#line(chunk.subarray(start, end))
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
  }

  /** Reads what stands after the last line end. */
  end(): void {
    if (this.#restLength > 0 || this.#skipping) this.#line(new Uint8Array(0))
  }

  /** Decodes all whole lines of a chunk at once, where nothing is to be said of any. @returns where unread bytes begin */
  #sound(chunk: Uint8Array): number {
    const end = chunk.lastIndexOf(lineFeed) + 1
    if (end === 0 || end > this.#limit || this.#first || this.#skipping || this.#restLength > 0) return 0
    const text = this.#decode(chunk.subarray(0, end))
    if (text === undefined || text.includes("\r")) return 0
    for (let from = 0, to = text.indexOf("\n"); to >= 0; from = to + 1, to = text.indexOf("\n", from)) {
      const line = text.slice(from, to)
      if (line.trim() !== "") this.#emit({ _tag: "Text", text: line })
    }
    return end
  }

  #keep(part: Uint8Array): void {
    if (this.#skipping) return
    this.#rest.push(part)
    this.#restLength += part.length
    if (this.#restLength > this.#limit + slack) {
      this.#skipping = true
      this.#rest = []
      this.#restLength = 0
    }
  }

  #line(tail: Uint8Array): void {
    const skipped = this.#skipping
    const whole = this.#restLength === 0 ? tail : join([...this.#rest, tail], this.#restLength + tail.length)
    this.#rest = []
    this.#restLength = 0
    this.#skipping = false
    if (!skipped) return this.#text(whole)
    this.#first = false
    this.#emit({ _tag: "TooLong", limit: this.#limit })
  }

  #text(whole: Uint8Array): void {
    const start = this.#first && isBom(whole) ? 3 : 0
    this.#first = false
    const end = whole.at(-1) === carriageReturn ? whole.length - 1 : whole.length
    if (end - start > this.#limit) return this.#emit({ _tag: "TooLong", limit: this.#limit })
    if (end <= start) return
    const text = this.#decode(start === 0 && end === whole.length ? whole : whole.subarray(start, end))
    if (text === undefined) return this.#emit({ _tag: "NotUtf8" })
    if (text.trim() !== "") this.#emit({ _tag: "Text", text })
  }
}

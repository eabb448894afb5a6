/**
 * The port through which lines travel: a few callbacks over bytes, so that a process, a socket or memory can carry
 * them without a stream library in between.
 */

/** What a port tells its reader. */
export interface LineReader {
  readonly chunk: (bytes: Uint8Array) => void
  /** Nothing more will come. */
  readonly end: () => void
  /** There is room for writing again. */
  readonly drain: () => void
}

/** One end of a two-way stream of bytes. */
export interface LinePort {
  /** Starts reading. Called once. */
  readonly open: (reader: LineReader) => void
  /** Sends text; `false` asks to wait for `drain`. */
  readonly write: (text: string) => boolean
  /** Stops reading until `resume`. */
  readonly pause: () => void
  readonly resume: () => void
  /** Sends nothing more. What was written still arrives. */
  readonly close: () => void
}

class MemoryEnd implements LinePort {
  #peer: MemoryEnd | undefined
  #reader: LineReader | undefined
  #queue: Array<Uint8Array | "end"> = []
  #size = 0
  #paused = false
  #scheduled = false
  #closed = false
  /** Whether the writer was asked to wait. */
  #full = false
  readonly #encoder = new TextEncoder()

  readonly #highWater: number

  constructor(highWater: number) {
    this.#highWater = highWater
  }

  connect(peer: MemoryEnd): void {
    this.#peer = peer
  }

  readonly open = (reader: LineReader): void => {
    this.#reader = reader
    this.#schedule()
  }

  readonly write = (text: string): boolean => {
    if (this.#closed || this.#peer === undefined) return true
    return this.#peer.#receive(this.#encoder.encode(text))
  }

  readonly pause = (): void => {
    this.#paused = true
  }

  readonly resume = (): void => {
    this.#paused = false
    this.#schedule()
  }

  readonly close = (): void => {
    if (this.#closed) return
    this.#closed = true
    if (this.#peer !== undefined) this.#peer.#receive("end")
  }

  #receive(item: Uint8Array | "end"): boolean {
    this.#queue.push(item)
    if (item !== "end") this.#size += item.length
    this.#schedule()
    if (this.#size > this.#highWater) this.#full = true
    return this.#size <= this.#highWater
  }

  #schedule(): void {
    if (this.#scheduled || this.#reader === undefined || this.#paused || this.#queue.length === 0) return
    this.#scheduled = true
    queueMicrotask(() => this.#deliver())
  }

  #deliver(): void {
    this.#scheduled = false
    while (!this.#paused && this.#reader !== undefined) {
      const item = this.#queue.shift()
      if (item === undefined) break
      if (item === "end") this.#reader.end()
      else {
        this.#size -= item.length
        this.#reader.chunk(item)
      }
    }
    const peer = this.#peer
    if (!this.#full || this.#size > this.#highWater || peer === undefined) return
    this.#full = false
    peer.#reader?.drain()
  }
}

/**
 * Two ports connected in memory: what one writes the other reads, in order, never in the same call.
 *
 * @param highWater bytes under way in one direction before `write` asks to wait; 64 KiB by default
 */
export const linePair = (highWater = 65536): readonly [LinePort, LinePort] => {
  const left = new MemoryEnd(highWater)
  const right = new MemoryEnd(highWater)
  left.connect(right)
  right.connect(left)
  return [left, right]
}

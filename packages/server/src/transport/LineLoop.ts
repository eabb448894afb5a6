/**
 * Serves lines: reads one, serves it beside the others, writes what they answer. Answers of one turn leave in one write,
 * and nothing is read while the peer does not read.
 */
import * as Effect from "effect/Effect"
import { LineCutter, type DecodeUtf8, type Line, type LinePort } from "@treadle/protocol/framing"
import { own, parseJson } from "@treadle/protocol/json"
import { isRequestId, RpcError } from "@treadle/protocol/rpc"
import type { Caller } from "../envelope/Caller.ts"
import { refusal, type Refusal } from "../envelope/Refusal.ts"
import { refused } from "../engine/Answers.ts"
import type { Answer, Sink } from "../engine/Sink.ts"
import { Waiting } from "../engine/Waiting.ts"
import type { Limits } from "../Limits.ts"
import type { Serve } from "./Outcome.ts"

/** What a loop needs of a served thing. */
export interface LineServer {
  readonly serve: Serve
  readonly limits: Limits
}

/** Writes lines, those of one turn together, and knows whether the peer keeps up. */
class LineWriter {
  readonly #port: LinePort
  readonly #schedule: (flush: () => void) => void
  readonly #waiting = new Waiting()
  #lines: Array<string> = []
  #full = false

  constructor(port: LinePort, schedule: (flush: () => void) => void) {
    this.#port = port
    this.#schedule = schedule
  }

  get full(): boolean {
    return this.#full
  }

  readonly room: Effect.Effect<void> = Effect.suspend(() => (this.#full ? this.#waiting.next() : Effect.void))

  add(text: string): boolean {
    if (this.#lines.push(text) === 1) this.#schedule(() => this.flush())
    return !this.#full
  }

  flush(): void {
    if (this.#lines.length === 0) return
    this.#lines.push("")
    const text = this.#lines.join("\n")
    this.#lines = []
    if (this.#port.write(text)) return
    this.#full = true
    this.#port.pause()
  }

  drain(): void {
    this.#full = false
    this.#waiting.wake()
    this.#port.resume()
  }
}

let pipes = 0

/** What a loop is told beside the served thing. */
export interface LoopOptions {
  readonly context: unknown
  /** Who is at the other end; where that could not be told, every request is refused. */
  readonly caller: Caller
  /** How bytes become text. */
  readonly decode?: DecodeUtf8
  /** Runs a function at the end of the turn, such as `setImmediate`. */
  readonly schedule: (flush: () => void) => void
}

/** A loop that runs. */
export interface LineLoop {
  /** The owner of its running calls. */
  readonly owner: string
  /** Completes when nothing more will be read. */
  readonly ended: Effect.Effect<void>
  /** Writes what is still waiting. */
  readonly flush: () => void
}

const faulty = (line: Exclude<Line, { readonly _tag: "Text" }>): Answer =>
  line._tag === "TooLong"
    ? refused(refusal("body-size", `The line is longer than ${line.limit} bytes`))
    : refused({ rung: "json", error: RpcError.parseError("Parse error: the line is not UTF-8") })

/** Answers requests with the reason why nobody is served here. */
const refusing =
  (why: Refusal): Serve =>
  ({ value }, sink) => {
    const id = own(value, "id")
    if (isRequestId(id)) sink.answer(refused({ ...why, id }))
    return undefined
  }

/** Starts serving a port. */
export const startLineLoop = (server: LineServer, port: LinePort, options: LoopOptions): LineLoop => {
  const owner = `pipe:${++pipes}`
  const writer = new LineWriter(port, options.schedule)
  const sink: Sink = {
    post: (text) => writer.add(text),
    full: () => writer.full,
    room: writer.room,
    answer: ({ text }) => void writer.add(text),
    abandon: () => {},
    tick: () => {}
  }
  const { principal, refusal: why } = options.caller
  const serve = why === undefined ? server.serve : refusing(why)
  const serveLine = (line: Line): void => {
    if (line._tag !== "Text") return sink.answer(faulty(line))
    const value = parseJson(line.text)
    if (value === undefined) {
      return sink.answer(refused({ rung: "json", error: RpcError.parseError("Parse error: the line is not JSON") }))
    }
    serve(
      { value, http: undefined, overHttp: false, context: options.context, principal, services: undefined, owner },
      sink
    )
  }
  const cutter = new LineCutter(server.limits.lineBytes, serveLine, options.decode)
  let finish = () => {}
  let finished = false
  port.open({
    chunk: (bytes) => cutter.push(bytes),
    end: () => {
      cutter.end()
      finished = true
      finish()
    },
    drain: () => writer.drain()
  })
  return {
    owner,
    ended: Effect.callback<void>((resume) => {
      if (finished) return resume(Effect.void)
      finish = () => resume(Effect.void)
    }),
    flush: () => writer.flush()
  }
}

/**
 * A pipe of lines: one reader, one writer, and a table that leads each answer to the request with its id.
 *
 * Lines that are no message are reported and skipped (B001, B045). What was not written yet when it is given up is
 * never written; for the rest the server is told (CANCEL-02).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { LineCutter, type Line, type LinePort } from "@treadle/protocol/framing"
import { own, parseJson } from "@treadle/protocol/json"
import { isRequestId, Message, requestKey, RpcError, type Notification } from "@treadle/protocol/rpc"
import { defaults, noiseHook, type OnNoise, type PipeSettings } from "../ClientSettings.ts"
import { McpReason } from "../McpError.ts"
import type { ExchangeSink, Outgoing, Transport } from "./Transport.ts"

/** The transport over a port; the port is closed with the scope. */
export const pipeTransport = (port: LinePort, settings: PipeSettings): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new PipeTransport(port, settings)),
    (transport) => Effect.sync(() => transport.close())
  )

/** A line that waits for room in the pipe. */
interface Unsent {
  readonly key: string | undefined
  readonly text: string
}

class PipeTransport implements Transport {
  readonly kind = "pipe"
  readonly server: string
  readonly #port: LinePort
  readonly #onNoise: OnNoise
  readonly #whyEnded: () => string
  readonly #waiting = new Map<string, ExchangeSink>()
  #unsent: Array<Unsent> = []
  #full = false
  #ended: string | undefined

  constructor(port: LinePort, settings: PipeSettings) {
    this.#port = port
    this.server = settings.name ?? "the pipe"
    this.#onNoise = noiseHook(settings)
    this.#whyEnded = settings.whyEnded ?? (() => "the server closed the pipe")
    const cutter = new LineCutter(settings.lineLimit ?? defaults.lineLimit, (line) => this.#line(line))
    port.open({
      chunk: (bytes) => cutter.push(bytes),
      end: () => {
        cutter.end()
        this.#end(this.#whyEnded())
      },
      drain: () => this.#drain()
    })
  }

  readonly exchange = (outgoing: Outgoing, sink: ExchangeSink): ((why?: string) => void) => {
    if (this.#ended !== undefined) {
      sink.fail(new McpReason.Closed({ detail: this.#ended }))
      return () => {}
    }
    const { request } = outgoing
    const key = requestKey(request.id)
    this.#waiting.set(key, sink)
    this.#send({ key, text: Message.print(request) })
    return (why) => {
      this.#waiting.delete(key)
      const before = this.#unsent.length
      this.#unsent = this.#unsent.filter((line) => line.key !== key)
      if (this.#unsent.length < before) return
      const reason = why === undefined ? {} : { reason: why }
      const cancelled = Message.notification("notifications/cancelled", { requestId: request.id, ...reason })
      this.#send({ key: undefined, text: Message.print(cancelled) })
    }
  }

  close(): void {
    this.#end("the session was closed")
    this.#port.close()
  }

  #send(line: Unsent): void {
    if (this.#full) this.#unsent.push(line)
    else this.#full = !this.#port.write(`${line.text}\n`)
  }

  #drain(): void {
    this.#full = false
    const lines = this.#unsent
    this.#unsent = []
    for (const line of lines) this.#send(line)
  }

  #end(why: string): void {
    if (this.#ended !== undefined) return
    this.#ended = why
    this.#unsent = []
    const sinks = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const sink of sinks) sink.fail(new McpReason.Closed({ detail: why }))
  }

  #line(line: Line): void {
    if (line._tag === "TooLong") return this.#onNoise("", `a line is longer than ${line.limit} bytes`)
    if (line._tag === "NotUtf8") return this.#onNoise("", "a line is not UTF-8")
    const json = parseJson(line.text)
    if (json === undefined) return this.#onNoise(line.text, "the line is not JSON")
    const decoded = Message.decode(json)
    if (Result.isFailure(decoded)) return this.#onNoise(line.text, decoded.failure.error.message)
    this.#message(decoded.success, line.text)
  }

  #message(message: Message, text: string): void {
    switch (message._tag) {
      case "Notification":
        return this.#notify(message)
      case "Request": {
        const error = RpcError.methodNotFound(`This client serves no requests, ${message.method} neither`)
        this.#onNoise(text, "a server sends no requests in this revision")
        // What a server may not ask is not worth a queue: while the pipe is full it goes without an answer.
        return this.#full
          ? undefined
          : this.#send({ key: undefined, text: Message.print(Message.error(message.id, error)) })
      }
      default: {
        const key = message.id === undefined ? undefined : requestKey(message.id)
        const sink = key === undefined ? undefined : this.#waiting.get(key)
        if (key === undefined || sink === undefined) return this.#onNoise(text, "it answers no request that waits")
        this.#waiting.delete(key)
        sink.answer({ message })
      }
    }
  }

  /** Progress goes to the request with its token; anything else to the only request there is, or to nobody. */
  #notify(notification: Notification): void {
    const token = own(notification.params, "progressToken")
    if (isRequestId(token)) return this.#waiting.get(requestKey(token))?.notify(notification)
    const [only, another] = this.#waiting.values()
    if (another === undefined) only?.notify(notification)
  }
}

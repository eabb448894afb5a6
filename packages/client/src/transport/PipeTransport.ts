/**
 * A pipe of lines: one reader, one writer.
 *
 * What was not written yet when it is given up is never written; for the rest the server is told (CANCEL-02).
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { LineCutter, type Line, type LinePort } from "@treadle/protocol/framing"
import { Message, requestKey } from "@treadle/protocol/rpc"
import { defaults, noiseHook, type OnNoise, type PipeSettings } from "../ClientSettings.ts"
import { McpReason } from "../McpError.ts"
import { cancellationOf } from "./Cancellation.ts"
import { Correlation } from "./Correlation.ts"
import { requestText } from "./RequestText.ts"
import type { CompatSession, ExchangeSink, Outgoing, Posted, Receiver, Transport } from "./Transport.ts"
import { reasonOf } from "./TransportFailure.ts"

/** The transport over a port; the port is closed with the scope. */
export const pipeTransport = (port: LinePort, settings: PipeSettings): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new PipeTransport(port, settings)),
    (transport) => Effect.sync(() => transport.close())
  )

/** How many answers may wait for room in the pipe; a server that asks on without reading gets no more of them. */
const maxUnsentPosts = 256

/** A line that waits for room in the pipe. */
interface Unsent {
  /** The request it is; absent for what nobody answers. */
  readonly key: string | undefined
  readonly text: string
}

class PipeTransport implements Transport {
  readonly kind = "pipe"
  readonly server: string
  readonly #port: LinePort
  readonly #onNoise: OnNoise
  readonly #correlation: Correlation
  #unsent: Array<Unsent> = []
  #full = false

  constructor(port: LinePort, settings: PipeSettings) {
    this.#port = port
    this.server = settings.name ?? "the pipe"
    this.#onNoise = noiseHook(settings)
    this.#correlation = new Correlation({
      onNoise: this.#onNoise,
      nestingLimit: settings.nestingLimit ?? defaults.nestingLimit
    })
    const whyEnded = settings.whyEnded ?? (() => "the server closed the pipe")
    const cutter = new LineCutter(settings.lineLimit ?? defaults.lineLimit, (line) => this.#line(line))
    port.open({
      chunk: (bytes) => cutter.push(bytes),
      end: () => {
        cutter.end()
        this.#end(whyEnded())
      },
      drain: () => this.#drain()
    })
  }

  readonly attach = (receiver: Receiver): void => this.#correlation.attach(receiver)

  readonly exchange = (outgoing: Outgoing, sink: ExchangeSink): ((why?: string) => void) => {
    const { ended } = this.#correlation
    if (ended !== undefined) {
      sink.fail(ended._tag === "Closed" ? new McpReason.Closed({ detail: ended.message, notRun: true }) : ended)
      return () => {}
    }
    const { cancellable, request } = outgoing
    let text: string
    try {
      text = requestText(request)
    } catch (error) {
      sink.fail(reasonOf(error))
      return () => {}
    }
    this.#correlation.wait(request.id, sink)
    this.#send({ key: requestKey(request.id), text })
    return (why) => {
      if (!this.#correlation.giveUp(request.id) || this.#withdraw(requestKey(request.id)) || !cancellable) return
      this.#send({ key: undefined, text: Message.print(cancellationOf(request, why)) })
    }
  }

  readonly post = (message: Posted, _: CompatSession | undefined, done: (failure?: McpReason) => void): void => {
    const { ended } = this.#correlation
    if (ended !== undefined) return done(ended)
    if (this.#full && this.#unsent.length >= maxUnsentPosts && message._tag !== "Notification") {
      return done(new McpReason.Transport({ message: "the server does not read what is written to it" }))
    }
    this.#send({ key: undefined, text: Message.print(message) })
    done()
  }

  close(): void {
    this.#end("the session was closed")
    this.#port.close()
  }

  /** Takes back a request that was not written yet. */
  #withdraw(key: string): boolean {
    const before = this.#unsent.length
    this.#unsent = this.#unsent.filter((line) => line.key !== key)
    return this.#unsent.length < before
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
    this.#unsent = []
    this.#correlation.end(new McpReason.Closed({ detail: why }))
  }

  #line(line: Line): void {
    if (line._tag === "TooLong") return this.#onNoise("", `a line is longer than ${line.limit} bytes`)
    if (line._tag === "NotUtf8") return this.#onNoise("", "a line is not UTF-8")
    this.#correlation.receive(line.text)
  }
}

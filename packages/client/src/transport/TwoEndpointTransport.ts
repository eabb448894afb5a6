/**
 * HTTP+SSE of 2024-11-05, the last resort: one stream that carries everything the server says, and an address that the
 * stream names first, to which messages are sent.
 *
 * @deprecated by the specification since 2025-03-26; servers of that time still speak it.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { SseReader } from "@treadle/protocol/framing"
import { Message, type Request } from "@treadle/protocol/rpc"
import { McpReason } from "../McpError.ts"
import { cancellationOf } from "./Cancellation.ts"
import { Correlation } from "./Correlation.ts"
import { chunksOf, readText, tooLarge } from "./HttpBody.ts"
import { getStream, isEventStream } from "./HttpEvents.ts"
import { admit, fetchFrom, maxPosts, type Connection, type HttpPeer, type HttpRequest } from "./HttpFetch.ts"
import { excerptLength, refused } from "./HttpRefusal.ts"
import { postHeaders } from "./RequestHeaders.ts"
import { requestText } from "./RequestText.ts"
import type { CompatSession, ExchangeSink, Outgoing, Posted, Receiver, Transport } from "./Transport.ts"
import { reasonOf, transportFailure } from "./TransportFailure.ts"

/** Opens the stream; the transport is there once the server has named where to send messages. */
export const twoEndpointTransport = (peer: HttpPeer): Effect.Effect<Transport, McpReason, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<TwoEndpointTransport, McpReason>((resume) => {
      const transport = new TwoEndpointTransport(peer)
      transport.open((failure) => resume(failure === undefined ? Effect.succeed(transport) : Effect.fail(failure)))
      return Effect.sync(() => transport.close())
    }),
    (transport) => Effect.sync(() => transport.close()),
    { interruptible: true }
  )

class TwoEndpointTransport implements Transport {
  readonly kind = "http"
  readonly server: string
  readonly #peer: HttpPeer
  readonly #correlation: Correlation
  readonly #open = new Set<Connection>()
  /** Those of messages that nobody answers. */
  readonly #posts = new Set<Connection>()
  #endpoint: URL | undefined

  constructor(peer: HttpPeer) {
    this.#peer = peer
    this.server = peer.server
    this.#correlation = new Correlation(peer)
  }

  readonly attach = (receiver: Receiver): void => this.#correlation.attach(receiver)

  /** @param done called once, when the server has named its address or will not */
  open(done: (failure?: McpReason) => void): void {
    const connection: Connection = { controller: new AbortController() }
    this.#with(connection, async () => {
      const response = await getStream(this.#peer, undefined, undefined, connection)
      if (!isEventStream(response)) throw refused(this.#peer, response, await readText(this.#peer, response))
      const events = new SseReader(this.#peer.bodyLimit)
      const decoder = new TextDecoder()
      for await (const chunk of chunksOf(response)) {
        for (const { data, event } of events.push(decoder.decode(chunk, { stream: true }))) {
          if (event === "endpoint" && this.#endpoint === undefined) {
            this.#endpoint = endpointOf(data, this.#peer)
            done()
          } else if (event === "message" && data !== "") this.#correlation.receive(data)
        }
        if (events.overflow) throw tooLarge(this.#peer, response.status)
      }
      throw new McpReason.Closed({ detail: "the server ended its stream" })
    }).catch((error) => {
      const reason = reasonOf(error)
      this.#correlation.end(reason)
      if (this.#endpoint === undefined) done(reason)
    })
  }

  readonly exchange = (outgoing: Outgoing, sink: ExchangeSink): ((why?: string) => void) => {
    const { cancellable, request, session } = outgoing
    this.#correlation.wait(request.id, sink)
    const connection = this.#send(request, session, (failure) => {
      if (failure !== undefined) this.#correlation.fail(request.id, failure)
    })
    return (why) => {
      if (!this.#correlation.giveUp(request.id)) return
      connection?.controller.abort()
      if (cancellable) this.post(cancellationOf(request, why), session, () => {})
    }
  }

  readonly post = (message: Posted, session: CompatSession | undefined, done: (failure?: McpReason) => void): void => {
    const connection = this.#send(message, session, done)
    if (connection !== undefined) admit(this.#posts, connection, maxPosts)
  }

  /** @returns the connection, where there is something to send to */
  #send(
    message: Posted | Request,
    session: CompatSession | undefined,
    done: (failure?: McpReason) => void
  ): Connection | undefined {
    const url = this.#endpoint
    const { ended } = this.#correlation
    if (ended !== undefined || url === undefined) return void done(ended ?? new McpReason.Closed({ notRun: true }))
    const connection: Connection = { controller: new AbortController() }
    const sent = this.#with(connection, async () => {
      const body = textOf(message)
      const headers: HttpRequest["headers"] = (given) => postHeaders(session, given)
      const response = await fetchFrom(this.#peer, { verb: "POST", url, headers, body }, connection)
      const text = await readText(this.#peer, response)
      if (!response.ok) throw refused(this.#peer, response, text)
    })
    sent.then(
      () => done(),
      (error) => done(reasonOf(error))
    )
    return connection
  }

  close(): void {
    this.#correlation.end(new McpReason.Closed({ detail: "the session was closed" }))
    for (const { controller } of this.#open) controller.abort()
  }

  async #with(connection: Connection, work: () => Promise<void>): Promise<void> {
    this.#open.add(connection)
    try {
      await work()
    } finally {
      this.#open.delete(connection)
      this.#posts.delete(connection)
    }
  }
}

const textOf = (message: Posted | Request): string =>
  message._tag === "Request" ? requestText(message) : Message.print(message)

/** The address that a stream names. @throws McpReason where it is of another origin, which may not get our messages */
const endpointOf = (data: string, peer: HttpPeer): URL => {
  const url = URL.canParse(data, peer.url) ? new URL(data, peer.url) : undefined
  if (url !== undefined && url.origin === peer.url.origin) return url
  throw transportFailure(
    `the server names ${JSON.stringify(data.slice(0, excerptLength))} to send messages to, which is elsewhere`
  )
}

/**
 * Streamable HTTP: every request is a POST of its own. Giving one up is closing its connection natively (HTTP-17), and
 * a notification in the compat era (CHTTP-06).
 *
 * It keeps the streams whose answer has come and whose end has not, so that a server which never ends them cannot make
 * them pile up.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Message } from "@treadle/protocol/rpc"
import { defaults, noiseHook, type HttpSettings } from "../ClientSettings.ts"
import { addressOf, type McpReason } from "../McpError.ts"
import { cancellationOf } from "./Cancellation.ts"
import { exchangeHttp } from "./HttpExchange.ts"
import { readText } from "./HttpBody.ts"
import { readServerStream } from "./HttpEvents.ts"
import {
  admit,
  fetchFrom,
  maxPosts,
  sendByFetch,
  type Connection,
  type HttpPeer,
  type HttpRequest,
  type HttpTokens,
  type SendHttp
} from "./HttpFetch.ts"
import { refused } from "./HttpRefusal.ts"
import { postHeaders, sessionHeaders } from "./RequestHeaders.ts"
import type { CompatSession, ExchangeSink, Outgoing, Posted, StreamSink, Transport } from "./Transport.ts"
import { reasonOf } from "./TransportFailure.ts"

/** How many answered streams may wait for their end. */
const maxLingering = 16

/**
 * The server at an address, as the settings let it be spoken to.
 *
 * @param send what sends; `fetch` where it is absent
 * @param tokens what authorizes requests, where something does
 */
export const makeHttpPeer = (
  url: URL,
  settings: HttpSettings,
  send?: SendHttp,
  tokens?: HttpTokens
): Effect.Effect<HttpPeer> =>
  Effect.map(Effect.context<never>(), (services) => {
    const { headers } = settings
    const runPromise = Effect.runPromiseWith(services)
    return {
      url,
      server: addressOf(url),
      send: send ?? sendByFetch(settings.fetch ?? ((request) => globalThis.fetch(request))),
      headers: typeof headers === "function" ? headers : () => headers ?? {},
      tokens,
      nestingLimit: settings.nestingLimit ?? defaults.nestingLimit,
      bodyLimit: settings.bodyLimit ?? defaults.bodyLimit,
      onNoise: noiseHook(settings),
      wait: (millis, signal) => runPromise(Effect.sleep(millis), { signal })
    }
  })

/** The transport to one address; its connections are closed with the scope. */
export const httpTransport = (peer: HttpPeer): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new HttpTransport(peer)),
    (transport) => Effect.sync(() => transport.close())
  )

class HttpTransport implements Transport {
  readonly kind = "http"
  readonly server: string
  readonly #peer: HttpPeer
  readonly #open = new Set<Connection>()
  readonly #lingering = new Set<Connection>()
  readonly #posts = new Set<Connection>()

  constructor(peer: HttpPeer) {
    this.#peer = peer
    this.server = peer.server
  }

  /** Nothing comes here outside a request and the server's own stream. */
  readonly attach = (): void => {}

  readonly exchange = (outgoing: Outgoing, sink: ExchangeSink): ((why?: string) => void) => {
    const connection = this.#connect()
    const watched: ExchangeSink = {
      ...sink,
      answer: (answer) => {
        this.#linger(connection)
        sink.answer(answer)
      },
      fail: (reason) => {
        sink.fail(reason)
        connection.controller.abort()
      }
    }
    this.#until(exchangeHttp(this.#peer, outgoing, watched, connection), connection)
    return (why) => {
      connection.controller.abort()
      const { cancellable, request, session } = outgoing
      if (session === undefined || !cancellable) return
      this.post(cancellationOf(request, why), session, (failure) => {
        if (failure !== undefined) this.#peer.onNoise(failure.message, "a cancellation was not taken")
      })
    }
  }

  readonly post = (message: Posted, session: CompatSession | undefined, done: (failure?: McpReason) => void): void => {
    const send = async (connection: Connection) => {
      const body = Message.print(message)
      const headers: HttpRequest["headers"] = (given) => postHeaders(session, given)
      const response = await fetchFrom(this.#peer, { verb: "POST", headers, body }, connection)
      if (response.ok) return void (await response.body?.cancel())
      throw refused(this.#peer, response, await readText(this.#peer, response))
    }
    const connection = this.#connect()
    admit(this.#posts, connection, maxPosts)
    this.#until(
      send(connection).then(
        () => done(),
        (error) => done(reasonOf(error))
      ),
      connection
    )
  }

  readonly stream = (session: CompatSession, lastEventId: string | undefined, sink: StreamSink): (() => void) => {
    const connection = this.#connect()
    this.#until(readServerStream(this.#peer, session, lastEventId, sink, connection), connection)
    return () => connection.controller.abort()
  }

  readonly end = (session: CompatSession, done: () => void): void => {
    const send = async (connection: Connection) => {
      const headers: HttpRequest["headers"] = (given) => sessionHeaders(session, given)
      const response = await fetchFrom(this.#peer, { verb: "DELETE", headers }, connection)
      await response.body?.cancel()
    }
    const connection = this.#connect()
    this.#until(send(connection).then(done, done), connection)
  }

  close(): void {
    for (const { controller } of [...this.#open, ...this.#lingering]) controller.abort()
  }

  #connect(): Connection {
    const connection: Connection = { controller: new AbortController() }
    this.#open.add(connection)
    return connection
  }

  #until(work: Promise<void>, connection: Connection): void {
    void work.finally(() => {
      this.#open.delete(connection)
      this.#lingering.delete(connection)
      this.#posts.delete(connection)
    })
  }

  #linger(connection: Connection): void {
    this.#open.delete(connection)
    admit(this.#lingering, connection, maxLingering)
  }
}

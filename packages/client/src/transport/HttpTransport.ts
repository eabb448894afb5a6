/**
 * Streamable HTTP: every request is a POST of its own, and giving one up is closing its connection (HTTP-17).
 *
 * It keeps the streams whose answer has come and whose end has not, so that a server which never ends them cannot make
 * them pile up.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { defaults, noiseHook, type HttpSettings } from "../ClientSettings.ts"
import { addressOf } from "../McpError.ts"
import { exchangeHttp, type Connection, type HttpPeer } from "./HttpExchange.ts"
import type { ExchangeSink, Outgoing, Transport } from "./Transport.ts"

/** How many answered streams may wait for their end. */
const maxLingering = 16

const peerOf = (url: URL, settings: HttpSettings): HttpPeer => {
  const { headers } = settings
  return {
    url,
    server: addressOf(url),
    send: settings.fetch ?? ((request) => globalThis.fetch(request)),
    headers: typeof headers === "function" ? headers : () => headers ?? {},
    bodyLimit: settings.bodyLimit ?? defaults.bodyLimit,
    onNoise: noiseHook(settings)
  }
}

/** The transport to one address; its connections are closed with the scope. */
export const httpTransport = (url: URL, settings: HttpSettings): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new HttpTransport(peerOf(url, settings))),
    (transport) => Effect.sync(() => transport.close())
  )

class HttpTransport implements Transport {
  readonly kind = "http"
  readonly server: string
  readonly #peer: HttpPeer
  readonly #open = new Set<Connection>()
  readonly #lingering = new Set<Connection>()

  constructor(peer: HttpPeer) {
    this.#peer = peer
    this.server = peer.server
  }

  readonly exchange = (outgoing: Outgoing, sink: ExchangeSink): (() => void) => {
    const connection: Connection = { controller: new AbortController() }
    this.#open.add(connection)
    const watched: ExchangeSink = {
      notify: sink.notify,
      answer: (answer) => {
        this.#linger(connection)
        sink.answer(answer)
      },
      fail: (reason) => {
        sink.fail(reason)
        connection.controller.abort()
      }
    }
    void exchangeHttp(this.#peer, outgoing, watched, connection).finally(() => {
      this.#open.delete(connection)
      this.#lingering.delete(connection)
    })
    return () => connection.controller.abort()
  }

  close(): void {
    for (const { controller } of [...this.#open, ...this.#lingering]) controller.abort()
  }

  #linger(connection: Connection): void {
    this.#open.delete(connection)
    this.#lingering.add(connection)
    if (this.#lingering.size <= maxLingering) return
    for (const oldest of this.#lingering) {
      this.#lingering.delete(oldest)
      return oldest.controller.abort()
    }
  }
}

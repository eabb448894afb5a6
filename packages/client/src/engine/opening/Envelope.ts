/**
 * What stands round each request of a link: natively what it says about its sender, in the compat era the session.
 */
import type { Era } from "@treadle/protocol/era"
import type { JsonObject } from "@treadle/protocol/json"
import { Message, type Request, type RequestId } from "@treadle/protocol/rpc"
import {
  MetaKey,
  requestMeta,
  type ClientCapabilities,
  type ClientRequest,
  type Implementation,
  type LogLevel,
  type Meta
} from "@treadle/protocol/schema"
import type { CompatSession } from "../../transport/Transport.ts"

/** Who sends, and what it can be asked. */
export interface Sender {
  readonly client: Implementation
  /** What is declared in each era. */
  readonly capabilities: { readonly [E in Era]: ClientCapabilities }
}

/** How the requests of a link are dressed. */
export type Envelope =
  | { readonly era: "native"; readonly version: string; readonly logLevel?: LogLevel }
  /** Without a session it is the handshake that begins one. */
  | { readonly era: "compat"; readonly session?: CompatSession }

/** What one request has beside its own parameters. */
export interface Dressing {
  /** Whether progress is asked for. */
  readonly progress: boolean
  /** Further `_meta`. */
  readonly meta?: Meta | undefined
}

/** Puts the requests of one sender into their envelope. */
export class EnvelopeWriter {
  readonly #sender: Sender
  #envelope: Envelope = { era: "compat" }
  /** What every native request says, while nothing more is to be said. */
  #meta: Meta = {}

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /** The compat session that is spoken in, if any. */
  get session(): CompatSession | undefined {
    return this.#envelope.era === "compat" ? this.#envelope.session : undefined
  }

  /** The revision that is spoken; none before the handshake. */
  get version(): string | undefined {
    return this.#envelope.era === "native" ? this.#envelope.version : this.#envelope.session?.version
  }

  /** Whatever is written from now on goes in this envelope. */
  use(envelope: Envelope): void {
    this.#envelope = envelope
    if (envelope.era === "compat") return
    const { era: _, ...facts } = envelope
    const { capabilities, client } = this.#sender
    this.#meta = requestMeta({ ...facts, client, capabilities: capabilities.native })
  }

  /** The request as a message, whose parameters are JSON; where progress is asked for, its token is its id. */
  write(id: RequestId, request: ClientRequest, { meta, progress }: Dressing): Request {
    const native = this.#envelope.era === "native"
    const { _meta, ...params } = request.params
    const token = progress ? { [MetaKey.progressToken]: id } : undefined
    if (_meta === undefined && meta === undefined && token === undefined) {
      return Message.request(id, request.method, (native ? { ...params, _meta: this.#meta } : params) as JsonObject)
    }
    const whole: Meta = { ..._meta, ...meta, ...(native ? this.#meta : {}), ...token }
    return Message.request(id, request.method, { ...params, _meta: whole } as JsonObject)
  }
}

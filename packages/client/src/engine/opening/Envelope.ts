/**
 * What stands round each request of a link: natively what it says about its sender, in the compat era the session.
 */
import type { Request, RequestId } from "@treadle/protocol/rpc"
import {
  ClientRequest,
  MetaKey,
  type ClientCapabilities,
  type Implementation,
  type LogLevel,
  type Meta
} from "@treadle/protocol/schema"
import type { CompatSession } from "../../transport/Transport.ts"

/** Who sends, and what it can be asked. */
export interface Sender {
  readonly client: Implementation
  readonly capabilities: ClientCapabilities
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

/** The request as a message; where progress is asked for, its token is its id. */
export const dress = (
  envelope: Envelope,
  sender: Sender,
  id: RequestId,
  request: ClientRequest,
  { meta, progress }: Dressing
): Request => {
  if (envelope.era === "native") {
    const { era: _, ...facts } = envelope
    return ClientRequest.toMessage(id, request, {
      ...facts,
      ...sender,
      ...(progress ? { progressToken: id } : {}),
      ...(meta === undefined ? {} : { meta })
    })
  }
  if (meta === undefined && !progress) return ClientRequest.toMessage(id, request)
  const message = ClientRequest.toMessage(id, request)
  const { _meta } = request.params
  return {
    ...message,
    params: { ...message.params, _meta: { ..._meta, ...meta, ...(progress ? { [MetaKey.progressToken]: id } : {}) } }
  }
}

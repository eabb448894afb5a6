/**
 * What a compat handshake settled for all that follows it. The envelope reads it; the engine keeps it.
 */
import type { Revision } from "@treadle/protocol/era"
import type { ClientCapabilities, LogLevel } from "@treadle/protocol/schema"
import type { Inbound } from "./Inbound.ts"

/** What a handshake said. */
export interface Opening {
  readonly inbound: Inbound
  readonly revision: Revision
  readonly clientCapabilities: ClientCapabilities
}

/** Where a session is told of changes. */
export interface Outlet {
  readonly tell: (text: string) => void
  /** Whether its client reads too slowly for more. */
  readonly full: () => boolean
  /** Calls back when there is room again. */
  readonly onRoom: (resume: () => void) => void
}

export interface SessionFacts {
  /** What the client repeats in `Mcp-Session-Id`; empty on a pipe, and where requests stand alone. */
  readonly id: string
  /** Whether nothing is remembered between requests. */
  readonly standsAlone: boolean
  readonly revision: Revision
  readonly clientCapabilities: ClientCapabilities
  /** Who opened it; nobody else may use it. */
  readonly principal: string | undefined
  /** Whose running calls are counted together. */
  readonly owner: string
  /** The least level of log messages that the client asked for; none before it asks. */
  logLevel: LogLevel | undefined
  /** When it was last used, in milliseconds: the end of a call is a use. */
  used: number
  /** Wants to hear of changes of a resource. @returns takes that back; `undefined` when it names too many already */
  readonly subscribe: (uri: string, most: number) => (() => void) | undefined
  readonly unsubscribe: (uri: string) => void
  /** Opens a stream on which it can be told of changes. @returns closes it */
  readonly attach: (outlet: Outlet) => () => void
}

/** What a request says of its session. */
export type SessionLookup = SessionFacts | "not-named" | "unknown"

/**
 * A request on its way through the ladder, and the facts that the rungs found. Once the last rung has passed, it is
 * admitted and the engine may rely on every one of them.
 */
import type { ParamHeader } from "@treadle/protocol/http"
import { isJsonObject, own } from "@treadle/protocol/json"
import { v2026_07_28, type Era, type ProtocolVersion, type Revision } from "@treadle/protocol/era"
import { methodRow, type Request } from "@treadle/protocol/rpc"
import {
  isLogLevel,
  MetaKey,
  type ClientCapabilities,
  type LogLevel,
  type Meta,
  type ProgressToken
} from "@treadle/protocol/schema"
import type { Inbound } from "./Inbound.ts"
import type { SessionFacts, SessionLookup } from "./SessionFacts.ts"

const noMeta: Meta = {}

/** What the ladder asks about the served thing. */
export interface Offered {
  /** The versions that are served, the preferred one first. */
  readonly versions: ReadonlyArray<ProtocolVersion>
  readonly hasMethod: (method: string, era: Era) => boolean
  /** The arguments that headers repeat; none where the caller of this context does not see what the request names. */
  readonly paramHeaders: (request: Request, context: unknown) => ReadonlyArray<ParamHeader>
  /** The scopes that the operation needs; none where the caller of this context does not see what it names. */
  readonly scopes: (request: Request, context: unknown) => ReadonlyArray<string>
  /** Says over HTTP which scopes are missing. @param scopes all that the operation needs */
  readonly challenge: (scopes: ReadonlyArray<string>) => string
  /** The compat session that a request names, or that its pipe has. */
  readonly session: (inbound: Inbound) => SessionLookup
}

export class Admitted {
  readonly inbound: Inbound
  readonly request: Request
  readonly offered: Offered
  /** `_meta` as it came. */
  readonly meta: Meta
  version: string = ""
  /** The revision that is spoken; a rung finds it. */
  revision: Revision = v2026_07_28
  /** The compat session, where there is one. */
  session: SessionFacts | undefined
  /** Whether no message of MCP asks for it: a route runs an operation. */
  routed = false
  /** What its sender is told of authorization, where scopes are missing. */
  challenge: string | undefined

  constructor(inbound: Inbound, request: Request, offered: Offered) {
    this.inbound = inbound
    this.request = request
    this.offered = offered
    const meta = own(request.params, "_meta")
    this.meta = isJsonObject(meta) ? meta : noMeta
  }

  /** Whose running calls are counted together, and whose ids may name them. */
  get owner(): string {
    return this.session === undefined ? this.inbound.owner : this.session.owner
  }

  /** What it is about, as the author knows it: the tool, the prompt or the URI; the method where it is none of them. */
  get subject(): string {
    const member = methodRow(this.request.method)?.named
    const name = member === undefined ? undefined : own(this.request.params, member)
    return typeof name === "string" ? name : this.request.method
  }

  get clientCapabilities(): ClientCapabilities {
    if (this.session !== undefined) return this.session.clientCapabilities
    return (own(this.meta, MetaKey.clientCapabilities) ?? {}) as ClientCapabilities
  }

  get progressToken(): ProgressToken | undefined {
    const token = own(this.meta, MetaKey.progressToken)
    return typeof token === "string" || Number.isSafeInteger(token) ? (token as ProgressToken) : undefined
  }

  /** The least level of log messages that this request, or its session, asked for (LOG-02, LOG-07). */
  get logLevel(): LogLevel | undefined {
    if (this.session !== undefined) return this.session.logLevel
    const level = own(this.meta, MetaKey.logLevel)
    return isLogLevel(level) ? level : undefined
  }
}

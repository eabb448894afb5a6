/**
 * A request on its way through the ladder, and the facts that the rungs found. Once the last rung has passed, it is
 * admitted and the engine may rely on every one of them.
 */
import type { ParamHeader } from "@treadle/protocol/http"
import { own } from "@treadle/protocol/json"
import type { ProtocolVersion } from "@treadle/protocol/era"
import type { Request } from "@treadle/protocol/rpc"
import {
  isLogLevel,
  MetaKey,
  type ClientCapabilities,
  type LogLevel,
  type Meta,
  type ProgressToken
} from "@treadle/protocol/schema"
import type { Inbound } from "./Inbound.ts"

const noMeta: Meta = {}

/** What the ladder asks about the served thing. */
export interface Offered {
  /** The versions that are served, the preferred one first. */
  readonly versions: ReadonlyArray<ProtocolVersion>
  readonly hasMethod: (method: string) => boolean
  /** The arguments of a tool that headers repeat, where the caller of this context sees the tool. */
  readonly paramHeaders: (tool: string, context: unknown) => ReadonlyArray<ParamHeader>
}

export class Admitted {
  readonly inbound: Inbound
  readonly request: Request
  readonly offered: Offered
  /** `_meta` as it came. */
  readonly meta: Meta
  version: string = ""

  constructor(inbound: Inbound, request: Request, offered: Offered) {
    this.inbound = inbound
    this.request = request
    this.offered = offered
    const meta = own(request.params, "_meta")
    this.meta = typeof meta === "object" && meta !== null && !Array.isArray(meta) ? (meta as Meta) : noMeta
  }

  get clientCapabilities(): ClientCapabilities {
    return (own(this.meta, MetaKey.clientCapabilities) ?? {}) as ClientCapabilities
  }

  get progressToken(): ProgressToken | undefined {
    const token = own(this.meta, MetaKey.progressToken)
    return typeof token === "string" || Number.isSafeInteger(token) ? (token as ProgressToken) : undefined
  }

  /** The least level of log messages that this request asked for (LOG-02). */
  get logLevel(): LogLevel | undefined {
    const level = own(this.meta, MetaKey.logLevel)
    return isLogLevel(level) ? level : undefined
  }
}

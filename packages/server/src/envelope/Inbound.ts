/**
 * One value that arrived, with all that its transport saw. Nothing about it is decided yet.
 */
import type * as Context from "effect/Context"
import type { HeaderTable } from "../CurrentCall.ts"
import type { Principal } from "../Principal.ts"

/** What HTTP says beside the body. Names are in lower case. */
export interface HttpFacts {
  readonly header: (name: string) => string | undefined
  /** Where the request was sent, as far as the door saw it. */
  readonly url: string
}

export interface Inbound {
  /** The value, as `JSON.parse` gave it. */
  readonly value: unknown
  /** Absent on a pipe and in process. */
  readonly http: HttpFacts | undefined
  /**
   * Every header of the request that brought it, names in lower case; absent where HTTP did not bring it. The table is
   * made when it is asked for.
   */
  readonly headers?: (() => HeaderTable) | undefined
  /** Whether HTTP brought it, on whatever stream its answer goes: then scopes decide what its sender may do. */
  readonly overHttp: boolean
  /** Whether it is no message of MCP but a request of a route, which has a span of HTTP and none of MCP. */
  readonly plain?: true
  /** What the door was given for this request. */
  readonly context: unknown
  readonly principal: Principal | undefined
  /** Services of this request alone, discharged at the door. */
  readonly services: Context.Context<never> | undefined
  /** Whose running calls are counted together: a pipe, a principal, or a remote address. */
  readonly owner: string
}

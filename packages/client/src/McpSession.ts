/**
 * A session with one server: typed calls, lists and raw requests, all through one primitive, `request`.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { AnyEndpoint, FailureOf, OutputOf } from "@treadle/protocol/endpoint"
import type { ParamHeader } from "@treadle/protocol/http"
import { own, wireDecoder, type JsonObject } from "@treadle/protocol/json"
import { ErrorCode, type Notification } from "@treadle/protocol/rpc"
import {
  ClientRequest,
  Implementation,
  MetaKey,
  ServerResult,
  Tool,
  type DiscoverResult,
  type Progress as WireProgress,
  type ToolResult
} from "@treadle/protocol/schema"
import { ParamMirror } from "./call/ParamMirror.ts"
import { encodeArguments, type Given } from "./call/TypedCall.ts"
import { toolOutcome, type CallReply } from "./call/ToolOutcome.ts"
import { defaults, type ClientSettings } from "./ClientSettings.ts"
import type { Arrived, ClientEngine, ExchangeOptions } from "./engine/ClientEngine.ts"
import { withDeadline, type GiveUp } from "./engine/Deadline.ts"
import { drainPages } from "./engine/Paging.ts"
import { McpReason, type McpError } from "./McpError.ts"
import { openCall, type PendingCall, type Progress } from "./PendingCall.ts"

/** Options of any request. */
export interface RequestOptions {
  /** Milliseconds; the session's `timeout` by default, `Infinity` for none. On expiry the request is cancelled. */
  readonly timeout?: number
}

/** Options of a call. */
export interface CallOptions extends RequestOptions {
  /** Asks the server for progress. */
  readonly onProgress?: (progress: Progress) => void
}

/**
 * A live link to one server. It ends with the scope it was opened in; what still waits then fails with `Closed`.
 */
export interface McpSession {
  /** Name and version of the server as it gives them: unverified, never a basis for a decision (META-06). */
  readonly server: Implementation | undefined
  /** What the server said it offers when the session was opened. */
  readonly discovered: DiscoverResult
  /** The revision that is spoken, such as `2026-07-28`. */
  readonly version: string
  /** Calls the tool of an endpoint: the decoded output, a declared error as its own class, or an `McpError`. */
  readonly call: <X extends AnyEndpoint>(
    endpoint: X
  ) => (...given: Given<X, CallOptions>) => Effect.Effect<OutputOf<X>, FailureOf<X> | McpError>
  /** Like `call`, with the content blocks beside the value. */
  readonly reply: <X extends AnyEndpoint>(
    endpoint: X
  ) => (...given: Given<X, CallOptions>) => Effect.Effect<CallReply<OutputOf<X>>, FailureOf<X> | McpError>
  /** Starts a call and gives its handle. It has no deadline, unless `timeout` sets one. */
  readonly open: <X extends AnyEndpoint>(
    endpoint: X
  ) => (
    ...given: Given<X, RequestOptions>
  ) => Effect.Effect<PendingCall<OutputOf<X>, FailureOf<X>>, McpError, Scope.Scope>
  /** Every tool, page by page. Entries that cannot be read, and over HTTP those with invalid `x-mcp-header`, are left out. */
  readonly listTools: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<Tool>, McpError>
  /** Calls a tool by name and gives its result as it came, a failed one included. */
  readonly callTool: (name: string, args?: JsonObject, options?: CallOptions) => Effect.Effect<ToolResult, McpError>
  /** Sends one typed request. */
  readonly request: <R extends ClientRequest>(
    request: R,
    options?: RequestOptions
  ) => Effect.Effect<ServerResult<R["method"]>, McpError>
}

/** What a session stands on. */
export interface SessionParts {
  readonly engine: ClientEngine
  readonly version: string
  readonly discovered: DiscoverResult
  readonly settings: ClientSettings
}

const decodeTool = wireDecoder(Tool)
const decodeImplementation = wireDecoder(Implementation)

const serverOf = (discovered: DiscoverResult): Implementation | undefined => {
  const decoded = decodeImplementation(own(discovered._meta, MetaKey.serverInfo))
  return Result.isSuccess(decoded) ? decoded.success : undefined
}

const progressOf = ({ message, progress, total }: WireProgress): Progress => ({
  done: progress,
  ...(total === undefined ? {} : { total }),
  ...(message === undefined ? {} : { message })
})

/** How one call is made and whom it tells. */
interface CallPlan {
  readonly timeout: number
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly onNotification?: (notification: Notification) => void
  /** The headers that the caller's own contract knows of. */
  readonly declared?: ReadonlyArray<ParamHeader>
}

/** The session over its parts. */
export const makeSession = (parts: SessionParts): McpSession => new Session(parts)

class Session implements McpSession {
  readonly server: Implementation | undefined
  readonly discovered: DiscoverResult
  readonly version: string
  readonly #engine: ClientEngine
  readonly #timeout: number
  readonly #mirror = new ParamMirror()

  constructor({ discovered, engine, settings, version }: SessionParts) {
    this.server = serverOf(discovered)
    this.discovered = discovered
    this.version = version
    this.#engine = engine
    this.#timeout = settings.timeout ?? defaults.timeout
  }

  readonly call: McpSession["call"] = (endpoint) => {
    const reply = this.reply(endpoint)
    return (...given) => Effect.map(reply(...given), ({ value }) => value)
  }

  readonly reply: McpSession["reply"] =
    (endpoint) =>
    (...[input, options]) =>
      Effect.flatMap(this.#encoded(endpoint, input), (args) =>
        this.#typed(endpoint, args, { timeout: options?.timeout ?? this.#timeout, onProgress: options?.onProgress })
      )

  readonly open: McpSession["open"] =
    (endpoint) =>
    (...[input, options]) =>
      Effect.flatMap(this.#encoded(endpoint, input), (args) =>
        openCall(
          (listeners) => this.#typed(endpoint, args, { timeout: options?.timeout ?? Infinity, ...listeners }),
          () => this.#callError(endpoint, new McpReason.Cancelled({}))
        )
      )

  readonly listTools: McpSession["listTools"] = (options) => {
    const fail = (reason: McpReason) => this.#engine.error(ClientRequest.listTools(), reason)
    const page = (cursor: string | undefined) =>
      Effect.map(this.#send(ClientRequest.listTools(cursor), options), ({ result }) => result)
    return Effect.flatMap(drainPages(page, "tools", fail), (entries) => {
      const tools: Array<Tool> = []
      const warnings: Array<string> = []
      for (const entry of entries) {
        const decoded = decodeTool(entry)
        if (Result.isSuccess(decoded)) tools.push(decoded.success)
        else warnings.push(warning(own(entry, "name"), decoded.failure.problems))
      }
      if (this.#engine.kind !== "http") return Effect.as(this.#warn(warnings), tools)
      const learned = this.#mirror.learn(tools)
      for (const { name, problems } of learned.rejected) warnings.push(warning(name, problems))
      return Effect.as(this.#warn(warnings), learned.tools)
    })
  }

  readonly callTool: McpSession["callTool"] = (name, args, options) =>
    Effect.map(
      this.#callTool(name, args, { timeout: options?.timeout ?? this.#timeout, onProgress: options?.onProgress }),
      ({ result }) => result
    )

  readonly request: McpSession["request"] = (request, options) =>
    Effect.flatMap(this.#send(request, options), ({ result }) => this.#decoded(request, request.method, result))

  #encoded(endpoint: AnyEndpoint, input: unknown): Effect.Effect<JsonObject, McpError> {
    return Effect.mapError(encodeArguments(endpoint, input), (reason) => this.#callError(endpoint, reason))
  }

  #typed<X extends AnyEndpoint>(
    endpoint: X,
    args: JsonObject,
    plan: CallPlan
  ): Effect.Effect<CallReply<OutputOf<X>>, FailureOf<X> | McpError> {
    const called = this.#callTool(endpoint.name, args, { ...plan, declared: endpoint.shape.headers })
    return Effect.flatMap(called, ({ cause, result }) =>
      Effect.mapError(toolOutcome(endpoint, result), (failure) =>
        failure._tag === "Declared" ? failure.error : this.#callError(endpoint, failure.reason, cause)
      )
    )
  }

  /** One call. Where the server misses mirrored headers, it did not run: the tools are listed and it is sent once more (XHDR-12). */
  #callTool(
    name: string,
    args: JsonObject | undefined,
    plan: CallPlan
  ): Effect.Effect<{ readonly result: ToolResult; readonly cause: unknown }, McpError> {
    const request = ClientRequest.callTool(name, args)
    const listen = listeners(plan)
    const run = (giveUp: GiveUp) => {
      const send = Effect.suspend(() => {
        const mirrored =
          this.#engine.kind === "http" ? this.#mirror.headersOf(name, args ?? {}, plan.declared ?? []) : []
        return this.#engine.exchange(this.version, request, { ...listen, mirrored, giveUp })
      })
      if (this.#engine.kind !== "http") return send
      return Effect.catchIf(send, isHeaderMismatch, () => Effect.andThen(Effect.ignore(this.listTools()), send))
    }
    return Effect.flatMap(this.#limited(request, plan.timeout, run), ({ cause, result }) =>
      Effect.map(this.#decoded(request, "tools/call", result), (decoded) => ({ result: decoded, cause }))
    )
  }

  #send(request: ClientRequest, options: RequestOptions | undefined): Effect.Effect<Arrived, McpError> {
    return this.#limited(request, options?.timeout ?? this.#timeout, (giveUp) =>
      this.#engine.exchange(this.version, request, { giveUp })
    )
  }

  #limited<A>(
    request: ClientRequest,
    after: number,
    run: (giveUp: GiveUp) => Effect.Effect<A, McpError>
  ): Effect.Effect<A, McpError> {
    return withDeadline(after, run, () =>
      this.#engine.error(request, new McpReason.TimedOut({ after, method: request.method }))
    )
  }

  #callError(endpoint: AnyEndpoint, reason: McpReason, cause?: unknown): McpError {
    return this.#engine.error(ClientRequest.callTool(endpoint.name), reason, cause)
  }

  #decoded<M extends ClientRequest["method"]>(
    request: ClientRequest,
    method: M,
    result: JsonObject
  ): Effect.Effect<ServerResult<M>, McpError> {
    const decoded = ServerResult.decode(method, result)
    if (Result.isSuccess(decoded)) return Effect.succeed(decoded.success)
    const { problems } = decoded.failure
    return Effect.fail(this.#engine.error(request, new McpReason.Undecodable({ what: "the result", problems })))
  }

  #warn(warnings: ReadonlyArray<string>): Effect.Effect<void> {
    return warnings.length === 0
      ? Effect.void
      : Effect.logWarning(`tools/list at ${this.#engine.server}: ${warnings.join(" ")}`)
  }
}

const warning = (name: unknown, problems: ReadonlyArray<string>): string =>
  `The tool ${JSON.stringify(name)} is left out: ${problems.join("; ")}.`

const isHeaderMismatch = ({ reason }: McpError): boolean =>
  reason._tag === "Rpc" && reason.code === ErrorCode.HeaderMismatch

const listeners = ({ onNotification, onProgress }: CallPlan): ExchangeOptions => ({
  onProgress: onProgress === undefined ? undefined : (progress) => onProgress(progressOf(progress)),
  onNotification
})

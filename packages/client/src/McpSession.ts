/**
 * A session with one server: typed calls, lists, reads, prompts and changes, the same in both eras.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { AnyEndpoint, FailureOf, OutputOf } from "@treadle/protocol/endpoint"
import type { Era } from "@treadle/protocol/era"
import type { JsonObject } from "@treadle/protocol/json"
import type {
  ClientRequest,
  CompletionArgument,
  CompletionReference,
  CompletionResult,
  Implementation,
  LogLevel,
  Meta,
  Prompt,
  PromptResult,
  ReadResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  ServerResult,
  Task,
  Tool,
  ToolResult
} from "@treadle/protocol/schema"
import type { CallReply } from "./call/ToolOutcome.ts"
import type { Given } from "./call/TypedCall.ts"
import type { Change, Watched } from "./Change.ts"
import type { McpError } from "./McpError.ts"
import type { PendingCall, Progress } from "./PendingCall.ts"

/** Options of any request. */
export interface RequestOptions {
  /**
   * Milliseconds; the session's `timeout` by default, `Infinity` for none. On expiry the request is cancelled. The time
   * in which a person answers the server does not count. Where it is not given, a call that became a task may take
   * `maxTotalTimeout`.
   */
  readonly timeout?: number
  /** Milliseconds that it may take at most, whatever progress it reports; the session's by default. */
  readonly maxTotalTimeout?: number
  /** Further `_meta` of the request, such as `traceparent`. */
  readonly meta?: Meta
}

/** What a caller hears of a task. */
export interface TaskOptions extends RequestOptions {
  /** Told of the task that a call became, at first and whenever its status or the message of it is another. */
  readonly onTask?: (task: Task) => void
}

/** Options of a call that was opened. */
export interface OpenOptions extends RequestOptions {
  /**
   * Whether a task that the call became goes on when nobody waits for it any more, for whoever comes back with its id.
   * Not by default: then the server is told that it is wanted no longer, at the latest when the session ends.
   */
  readonly keepTask?: boolean
}

/** Options of a call. */
export interface CallOptions extends TaskOptions, OpenOptions {
  /** Asks the server for progress. */
  readonly onProgress?: (progress: Progress) => void
  /** Whether progress lets the time begin anew, up to `maxTotalTimeout`; so where `onProgress` is given, by default. */
  readonly resetTimeoutOnProgress?: boolean
}

/** Options of a list. */
export interface ListOptions extends RequestOptions {
  /**
   * Hears why a list is cut that has no end: a cursor that comes again, more than 1,024 pages, 100,000 entries or
   * 64 Mi characters. Then what was read of it so far is given; without this, such a list is an error.
   */
  readonly onEndless?: (why: string) => void
}

/** What a session has counted, for those who watch over it. */
export interface SessionCounters {
  /** Requests that wait for their answer. */
  readonly waiting: number
  /** Answers that came after their request was given up. */
  readonly late: number
  /** Links that were opened: one, and one more for each recovery. */
  readonly links: number
  /** Those who watch for changes. */
  readonly watching: number
}

/**
 * A live session with one server. It ends with the scope it was opened in; what still waits then fails with `Closed`. A
 * link that is lost meanwhile is opened again by whoever needs it next.
 */
export interface McpSession {
  /** Name and version of the server as it gives them: unverified, never a basis for a decision (META-06). */
  readonly server: Implementation | undefined
  /** How the server wants to be used, in its own words: text of a stranger, to be shown as such. */
  readonly instructions: string | undefined
  /** What the server offers; a request outside it fails with `NotOffered` and is not sent. */
  readonly capabilities: ServerCapabilities
  /** Whether requests stand for themselves (`native`) or a handshake came first (`compat`). */
  readonly era: Era
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
  ) => (...given: Given<X, OpenOptions>) => Effect.Effect<PendingCall<OutputOf<X>, FailureOf<X>>, McpError, Scope.Scope>
  /** Calls a tool by name and gives its result as it came, a failed one included. */
  readonly callTool: (name: string, args?: JsonObject, options?: CallOptions) => Effect.Effect<ToolResult, McpError>
  /**
   * Waits for the task that a call of the endpoint became, be it in another process: the outcome is that of the call.
   * Whoever no longer waits leaves the task as it is.
   */
  readonly task: <X extends AnyEndpoint>(
    endpoint: X
  ) => (taskId: string, options?: TaskOptions) => Effect.Effect<OutputOf<X>, FailureOf<X> | McpError>
  /** Waits for the task that a call of the tool became, as `task` does, and gives its result as it came. */
  readonly toolTask: (name: string, taskId: string, options?: TaskOptions) => Effect.Effect<ToolResult, McpError>

  /**
   * Every tool, page by page. Entries that cannot be read, and natively over HTTP those with an invalid `x-mcp-header`,
   * are left out and named in a warning. Lists come from the cache while the server calls them fresh; one that the
   * server does not offer is empty.
   */
  readonly listTools: (options?: ListOptions) => Effect.Effect<ReadonlyArray<Tool>, McpError>
  readonly listResources: (options?: ListOptions) => Effect.Effect<ReadonlyArray<Resource>, McpError>
  readonly listTemplates: (options?: ListOptions) => Effect.Effect<ReadonlyArray<ResourceTemplate>, McpError>
  readonly listPrompts: (options?: ListOptions) => Effect.Effect<ReadonlyArray<Prompt>, McpError>
  /** What an address holds: one or several contents, each text or Base64. */
  readonly readResource: (uri: string, options?: RequestOptions) => Effect.Effect<ReadResult, McpError>
  readonly getPrompt: (
    name: string,
    args?: { readonly [name: string]: string },
    options?: RequestOptions
  ) => Effect.Effect<PromptResult, McpError>
  /**
   * Values that an argument of a prompt or of a template may have.
   *
   * @param chosen the values of the other arguments, where known
   */
  readonly complete: (
    ref: CompletionReference,
    argument: CompletionArgument,
    chosen?: { readonly [name: string]: string },
    options?: RequestOptions
  ) => Effect.Effect<CompletionResult, McpError>

  /**
   * Hears of changes, in either era. It is there once the server knows, so what is fetched after that misses nothing.
   * After a loss it is made again, and then one change comes for each thing, with `missed`, because nobody can say what
   * changed meanwhile. The stream ends with the scope.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/subscriptions
   */
  readonly watch: (watched: Watched) => Effect.Effect<Stream.Stream<Change, McpError>, McpError, Scope.Scope>

  /**
   * The least level of log messages that is wanted from now on; they come to the `onLog` setting and to the
   * notifications of a call.
   *
   * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. Servers still log.
   */
  readonly setLogLevel: (level: LogLevel) => Effect.Effect<void, McpError>
  /** Whether the server answers; natively there is no such request, and it fails with `NotOffered`. */
  readonly ping: (options?: RequestOptions) => Effect.Effect<void, McpError>
  /** Sends one typed request. What it is asked before it goes on is answered, and a task that it became is waited for. */
  readonly request: <R extends ClientRequest>(
    request: R,
    options?: RequestOptions
  ) => Effect.Effect<ServerResult<R["method"]>, McpError>

  /** What was counted so far. */
  readonly counters: () => SessionCounters
}

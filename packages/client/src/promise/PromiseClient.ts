/**
 * The promise door: the same sessions for code that awaits. A rejection is the declared error or the `McpError` itself.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AnyEndpoint, FailureOf, OutputOf } from "@treadle/protocol/endpoint"
import type { JsonObject } from "@treadle/protocol/json"
import type {
  ClientRequest,
  CompletionArgument,
  CompletionReference,
  CompletionResult,
  ContentBlock,
  LogLevel,
  Prompt,
  PromptResult,
  ReadResult,
  Resource,
  ResourceTemplate,
  ServerResult,
  Task,
  Tool,
  ToolResult
} from "@treadle/protocol/schema"
import type { Given } from "../call/TypedCall.ts"
import type { CallReply } from "../call/ToolOutcome.ts"
import type { Change, Watched } from "../Change.ts"
import { Feed } from "../Feed.ts"
import { McpError, McpReason } from "../McpError.ts"
import type {
  CallOptions as EffectCallOptions,
  ListOptions as EffectListOptions,
  McpSession,
  RequestOptions as EffectRequestOptions,
  TaskOptions as EffectTaskOptions
} from "../McpSession.ts"
import type { Progress } from "../PendingCall.ts"

/** Options of any request. */
export interface RequestOptions extends EffectRequestOptions {
  /** Aborting it cancels the request; whoever awaits gets an `McpError` with reason `Cancelled`. */
  readonly signal?: AbortSignal
}

/** What a caller hears of a task. */
export interface TaskOptions extends EffectTaskOptions, RequestOptions {}

/** Options of a call. */
export interface CallOptions extends EffectCallOptions, RequestOptions {}

/** Options of a list. */
export interface ListOptions extends EffectListOptions, RequestOptions {}

/** How a call ended, without a rejection. */
export type Settled<A, E> =
  | { readonly ok: true; readonly value: A; readonly content: ReadonlyArray<ContentBlock> }
  | { readonly ok: false; readonly error: E | McpError }

/** A call in progress. */
export interface OpenCall<out A> {
  /** Rejects as a call does; one that nobody awaits disturbs nobody. */
  readonly result: Promise<A>
  /** From the start of the call, the newest 1024; ends with the call. */
  readonly progress: AsyncIterable<Progress>
  /** The task that the call became, at first and whenever it stands otherwise; ends with the call. */
  readonly task: AsyncIterable<Task>
  /** The result rejects at once with reason `Cancelled`; the server is told, unless `keepTask` leaves a task to it. */
  readonly cancel: (reason?: string) => void
}

/** The function of one endpoint. */
export interface PromiseCall<X extends AnyEndpoint> {
  (...given: Given<X, CallOptions>): Promise<OutputOf<X>>
  /** The same call, whose failures are values. */
  readonly settled: (...given: Given<X, CallOptions>) => Promise<Settled<OutputOf<X>, FailureOf<X>>>
  /** The same call with its progress; no deadline, unless `timeout` sets one. */
  readonly open: (...given: Given<X, CallOptions>) => OpenCall<OutputOf<X>>
}

/** Changes as they come; it ends with `close`, with `await using`, or when the reader stops. */
export interface Watching extends AsyncIterable<Change>, AsyncDisposable {
  readonly close: () => Promise<void>
}

/** A session whose calls are promises; whatever takes options takes a `signal` too. */
export interface PromiseClient extends AsyncDisposable {
  /** Name and version of the server as it gives them; unverified. */
  readonly server: McpSession["server"]
  /** How the server wants to be used, in its own words. */
  readonly instructions: McpSession["instructions"]
  readonly capabilities: McpSession["capabilities"]
  readonly era: McpSession["era"]
  /** The revision that is spoken. */
  readonly version: McpSession["version"]
  /** The function of one endpoint. */
  readonly call: <X extends AnyEndpoint>(endpoint: X) => PromiseCall<X>
  /** The functions of many. */
  readonly bind: <const C extends { readonly [name: string]: AnyEndpoint }>(
    contract: C
  ) => { readonly [K in keyof C]: PromiseCall<C[K]> }
  readonly listTools: (options?: ListOptions) => Promise<ReadonlyArray<Tool>>
  readonly listResources: (options?: ListOptions) => Promise<ReadonlyArray<Resource>>
  readonly listTemplates: (options?: ListOptions) => Promise<ReadonlyArray<ResourceTemplate>>
  readonly listPrompts: (options?: ListOptions) => Promise<ReadonlyArray<Prompt>>
  readonly readResource: (uri: string, options?: RequestOptions) => Promise<ReadResult>
  readonly getPrompt: (
    name: string,
    args?: { readonly [name: string]: string },
    options?: RequestOptions
  ) => Promise<PromptResult>
  /** Values that an argument may have. @param chosen the values of the other arguments */
  readonly complete: (
    ref: CompletionReference,
    argument: CompletionArgument,
    chosen?: { readonly [name: string]: string },
    options?: RequestOptions
  ) => Promise<CompletionResult>
  /** Calls a tool by name and gives its result as it came, a failed one included. */
  readonly callTool: (name: string, args?: JsonObject, options?: CallOptions) => Promise<ToolResult>
  /** Waits for the task that a call of the endpoint became, be it in another process; settles as the call would. */
  readonly task: <X extends AnyEndpoint>(endpoint: X) => (taskId: string, options?: TaskOptions) => Promise<OutputOf<X>>
  /** Hears of changes; it resolves once the server knows, so what is fetched after that misses nothing. */
  readonly watch: (watched: Watched) => Promise<Watching>
  /** @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. */
  readonly setLogLevel: (level: LogLevel) => Promise<void>
  /** Rejects with `NotOffered` natively, where there is no such request. */
  readonly ping: (options?: RequestOptions) => Promise<void>
  /** Sends one typed request. */
  readonly request: <R extends ClientRequest>(
    request: R,
    options?: RequestOptions
  ) => Promise<ServerResult<R["method"]>>
  readonly counters: McpSession["counters"]
  /** Ends the session; what still waits rejects with reason `Closed`. */
  readonly close: () => Promise<void>
}

/** What a request is called in the error of one that its caller gave up. */
interface Named {
  readonly method: string
  readonly server: string
  readonly tool?: string
}

/** Whether a reason says only that something was aborted, which is known. */
const isBare = (reason: Error): boolean => reason.name === "AbortError"

const reasonText = (reason: unknown): string | undefined =>
  typeof reason === "string" ? reason : reason instanceof Error && !isBare(reason) ? reason.message : undefined

const cancelled = (named: Named, signal: AbortSignal | undefined): McpError => {
  const why = reasonText(signal?.reason)
  return new McpError({ ...named, reason: new McpReason.Cancelled(why === undefined ? {} : { why }) })
}

/** What is logged goes to the errors output, because the other may carry a protocol. */
const runQuietly = Effect.runPromiseExitWith(Context.make(References.LogToStderr, true))

/** Runs an effect; what it rejects with is its failure, and nothing wrapped round it. */
const run = async <A, E>(effect: Effect.Effect<A, E>, named: Named, signal?: AbortSignal): Promise<A> => {
  if (signal?.aborted === true) throw cancelled(named, signal)
  const exit = await runQuietly(effect, signal === undefined ? undefined : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.hasInterruptsOnly(exit.cause) ? cancelled(named, signal) : Cause.squash(exit.cause)
}

const anySignal = (own: AbortSignal, given: AbortSignal | undefined): AbortSignal =>
  given === undefined ? own : AbortSignal.any([own, given])

const promiseCall = <X extends AnyEndpoint>(session: McpSession, label: string, endpoint: X): PromiseCall<X> => {
  const named = { method: "tools/call", server: label, tool: endpoint.name }
  const reply = (given: Given<X, CallOptions>): Promise<CallReply<OutputOf<X>>> =>
    run(session.reply(endpoint)(...given), named, given[1]?.signal)

  const call = async (...given: Given<X, CallOptions>): Promise<OutputOf<X>> => (await reply(given)).value

  const settled = async (...given: Given<X, CallOptions>): Promise<Settled<OutputOf<X>, FailureOf<X>>> => {
    const outcome = Effect.result(session.reply(endpoint)(...given))
    try {
      const result = await run(outcome, named, given[1]?.signal)
      return result._tag === "Success"
        ? { ok: true, value: result.success.value, content: result.success.content }
        : { ok: false, error: result.failure }
    } catch (error) {
      if (error instanceof McpError) return { ok: false, error }
      throw error
    }
  }

  const open = (...[input, options]: Given<X, CallOptions>): OpenCall<OutputOf<X>> => {
    const feed = new Feed<Progress>()
    const tasks = new Feed<Task>()
    const controller = new AbortController()
    const onProgress = (progress: Progress) => {
      feed.push(progress)
      options?.onProgress?.(progress)
    }
    const onTask = (task: Task) => {
      tasks.push(task)
      options?.onTask?.(task)
    }
    const signal = anySignal(controller.signal, options?.signal)
    // Options come second, whether the input may be left out or not.
    const given = [input, { timeout: Infinity, ...options, onProgress, onTask, signal }] as Given<X, CallOptions>
    const result = call(...given).finally(() => {
      feed.end()
      tasks.end()
    })
    // Marks the rejection as seen: the caller may never await the result.
    result.catch(() => {})
    return {
      result,
      progress: Stream.toAsyncIterable(feed.stream),
      task: Stream.toAsyncIterable(tasks.stream),
      cancel: (reason) => controller.abort(reason)
    }
  }

  return Object.assign(call, { settled, open })
}

const watching = async (session: McpSession, watched: Watched, named: Named): Promise<Watching> => {
  const scope = Scope.makeUnsafe()
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const opening = Effect.onError(Scope.provide(session.watch(watched), scope), () => Scope.close(scope, Exit.void))
  const changes = await run(opening, named)
  const iterable = Stream.toAsyncIterable(Stream.onEnd(changes, Scope.close(scope, Exit.void)))
  return {
    close,
    [Symbol.asyncDispose]: close,
    [Symbol.asyncIterator]: () => {
      const iterator = iterable[Symbol.asyncIterator]()
      return {
        next: () => iterator.next(),
        return: async () => {
          await iterator.return?.()
          await close()
          return { done: true, value: undefined }
        }
      }
    }
  }
}

/** Opens a session and gives it as promises. Its scope is closed by `close`, or at once where opening fails. */
export const promiseClient = async <E>(
  open: Effect.Effect<McpSession, E, Scope.Scope>,
  label: string,
  signal?: AbortSignal
): Promise<PromiseClient> => {
  const scope = Scope.makeUnsafe()
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const connecting = Effect.onError(Scope.provide(open, scope), () => Scope.close(scope, Exit.void))
  const session = await run(connecting, { method: "server/discover", server: label }, signal)
  const call: PromiseClient["call"] = (endpoint) => promiseCall(session, label, endpoint)
  const sent = <A>(method: string, effect: Effect.Effect<A, McpError>, options?: RequestOptions): Promise<A> =>
    run(effect, { method, server: label }, options?.signal)
  return {
    get server() {
      return session.server
    },
    get instructions() {
      return session.instructions
    },
    get capabilities() {
      return session.capabilities
    },
    get era() {
      return session.era
    },
    get version() {
      return session.version
    },
    call,
    bind: (contract) => bindAll(contract, call),
    listTools: (options) => sent("tools/list", session.listTools(options), options),
    listResources: (options) => sent("resources/list", session.listResources(options), options),
    listTemplates: (options) => sent("resources/templates/list", session.listTemplates(options), options),
    listPrompts: (options) => sent("prompts/list", session.listPrompts(options), options),
    readResource: (uri, options) => sent("resources/read", session.readResource(uri, options), options),
    getPrompt: (name, args, options) => sent("prompts/get", session.getPrompt(name, args, options), options),
    complete: (ref, argument, chosen, options) =>
      sent("completion/complete", session.complete(ref, argument, chosen, options), options),
    callTool: (name, args, options) =>
      run(session.callTool(name, args, options), { method: "tools/call", server: label, tool: name }, options?.signal),
    task: (endpoint) => (taskId, options) => {
      const named = { method: "tools/call", server: label, tool: endpoint.name }
      return run(session.task(endpoint)(taskId, options), named, options?.signal)
    },
    watch: (watched) => watching(session, watched, { method: "subscriptions/listen", server: label }),
    setLogLevel: (level) => sent("logging/setLevel", session.setLogLevel(level)),
    ping: (options) => sent("ping", session.ping(options), options),
    request: (request, options) => sent(request.method, session.request(request, options), options),
    counters: session.counters,
    close,
    [Symbol.asyncDispose]: close
  }
}

const bindAll = <const C extends { readonly [name: string]: AnyEndpoint }>(
  contract: C,
  call: PromiseClient["call"]
): { readonly [K in keyof C]: PromiseCall<C[K]> } =>
  // `fromEntries` cannot say that every key keeps its own endpoint.
  Object.fromEntries(Object.entries(contract).map(([name, endpoint]) => [name, call(endpoint)])) as unknown as {
    readonly [K in keyof C]: PromiseCall<C[K]>
  }

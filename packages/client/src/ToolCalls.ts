/**
 * Calls of tools: arguments from an endpoint, headers that repeat some of them, and the result as the endpoint reads it.
 */
import * as Effect from "effect/Effect"
import type { AnyEndpoint, FailureOf, OutputOf } from "@treadle/protocol/endpoint"
import type { ParamHeader } from "@treadle/protocol/http"
import type { JsonObject } from "@treadle/protocol/json"
import { ErrorCode } from "@treadle/protocol/rpc"
import { ClientRequest, type Progress as WireProgress, type Tool } from "@treadle/protocol/schema"
import { ParamMirror } from "./call/ParamMirror.ts"
import { encodeArguments } from "./call/TypedCall.ts"
import { toolOutcome, type CallReply } from "./call/ToolOutcome.ts"
import { kinds, leftOut, warn, type Lists } from "./engine/lists/Lists.ts"
import type { Links } from "./engine/Links.ts"
import type { Completed } from "./engine/asking/InputRounds.ts"
import type { Plan, Requests } from "./engine/Requests.ts"
import { McpReason, type McpError } from "./McpError.ts"
import type { CallOptions, McpSession, OpenOptions } from "./McpSession.ts"
import { openCall, type Progress } from "./PendingCall.ts"

/** What the calls of a session stand on. */
export interface CallParts {
  readonly links: Links
  readonly requests: Requests
  readonly lists: Lists
  /** The plan that the options of a request make. */
  readonly planOf: (options: CallOptions | undefined, safe: boolean) => Plan
  /** Whether the server's own annotations are believed. */
  readonly trusted: boolean
}

const progressOf = ({ message, progress, total }: WireProgress): Progress => ({
  done: progress,
  ...(total === undefined ? {} : { total }),
  ...(message === undefined ? {} : { message })
})

/** The hearer of progress that the options give. */
export const hearerOf = (onProgress: CallOptions["onProgress"]): Plan["onProgress"] =>
  onProgress === undefined ? undefined : (progress) => onProgress(progressOf(progress))

const missesHeaders = ({ reason }: McpError): boolean =>
  reason._tag === "Rpc" && reason.code === ErrorCode.HeaderMismatch

/** The calls of one session. */
export class ToolCalls implements Pick<McpSession, "call" | "callTool" | "listTools" | "open" | "reply" | "task"> {
  readonly #parts: CallParts
  readonly #mirror = new ParamMirror()
  /** The tools that the server marks as safe to call twice. */
  #markedSafe: ReadonlySet<string> = new Set()

  constructor(parts: CallParts) {
    this.#parts = parts
  }

  readonly call: McpSession["call"] = (endpoint) => {
    const reply = this.reply(endpoint)
    return (...given) => Effect.map(reply(...given), ({ value }) => value)
  }

  readonly reply: McpSession["reply"] =
    (endpoint) =>
    (...[input, options]) =>
      Effect.flatMap(this.#encoded(endpoint, input), (args) =>
        this.#typed(endpoint, args, this.#parts.planOf(options, this.#isSafe(endpoint)))
      )

  readonly open: McpSession["open"] =
    (endpoint) =>
    (...[input, options]) =>
      Effect.flatMap(this.#encoded(endpoint, input), (args) => {
        const patient: OpenOptions = { timeout: Infinity, ...options }
        return openCall(
          ({ onNotification, onProgress, onTask }) => {
            const plan = this.#parts.planOf({ ...patient, onProgress, onTask }, this.#isSafe(endpoint))
            return this.#typed(endpoint, args, { ...plan, onNotification })
          },
          () => this.#error(endpoint, new McpReason.Cancelled({}))
        )
      })

  readonly callTool: McpSession["callTool"] = (name, args, options) =>
    Effect.suspend(() =>
      Effect.map(
        this.#called(name, args, this.#parts.planOf(options, this.#isTrustedSafe(name)), []),
        ({ result }) => result
      )
    )

  readonly task: McpSession["task"] = (endpoint) => (taskId, options) =>
    Effect.suspend(() => {
      const { planOf, requests } = this.#parts
      const plan = planOf({ ...options, keepTask: true }, true)
      const ended = requests.resume(ClientRequest.callTool(endpoint.name), plan, taskId)
      return Effect.map(this.#outcome(endpoint, ended), ({ value }) => value)
    })

  readonly listTools: McpSession["listTools"] = (options) => {
    const { links, lists, planOf, requests } = this.#parts
    return Effect.flatMap(lists.all(kinds.tools, planOf(options, true), options?.onEndless), (tools) => {
      this.#markedSafe = new Set(tools.filter(isMarkedSafe).map(({ name }) => name))
      const link = links.current()
      if (link?.agreed.era !== "native" || link.engine.transport.kind !== "http") return Effect.succeed(tools)
      const learned = this.#mirror.learn(tools)
      const warnings = learned.rejected.map(({ name, problems }) => leftOut("tool", name, problems))
      return Effect.as(warn(requests.server, "tools/list", warnings), learned.tools)
    })
  }

  #encoded(endpoint: AnyEndpoint, input: unknown): Effect.Effect<JsonObject, McpError> {
    return Effect.mapError(encodeArguments(endpoint, input), (reason) => this.#error(endpoint, reason))
  }

  #typed<X extends AnyEndpoint>(
    endpoint: X,
    args: JsonObject,
    plan: Plan
  ): Effect.Effect<CallReply<OutputOf<X>>, FailureOf<X> | McpError> {
    return this.#outcome(endpoint, this.#called(endpoint.name, args, plan, endpoint.shape.headers))
  }

  /** What a call gives, as the endpoint reads it. */
  #outcome<X extends AnyEndpoint>(
    endpoint: X,
    called: Effect.Effect<Completed<"tools/call">, McpError>
  ): Effect.Effect<CallReply<OutputOf<X>>, FailureOf<X> | McpError> {
    return Effect.flatMap(called, ({ cause, result }) =>
      Effect.mapError(toolOutcome(endpoint, result, this.#parts.links.agreed()?.version ?? ""), (failure) =>
        failure._tag === "Declared" ? failure.error : this.#error(endpoint, failure.reason, cause)
      )
    )
  }

  /** One call. Where the server misses mirrored headers, it did not run: the tools are listed and it is sent once more (XHDR-12). */
  #called(
    name: string,
    args: JsonObject | undefined,
    plan: Plan,
    declared: ReadonlyArray<ParamHeader>
  ): Effect.Effect<Completed<"tools/call">, McpError> {
    return this.#parts.requests.ask(ClientRequest.callTool(name, args), {
      ...plan,
      mirrored: () => this.#mirror.headersOf(name, args ?? {}, declared),
      cure: (error) => (missesHeaders(error) ? this.#relearned : undefined)
    })
  }

  /** The tools as the server has them now, whatever is kept of them. */
  readonly #relearned: Effect.Effect<void> = Effect.suspend(() =>
    Effect.andThen(this.#parts.lists.forget(kinds.tools), Effect.ignore(this.listTools()))
  )

  #error(endpoint: AnyEndpoint, reason: McpReason, cause?: unknown): McpError {
    return this.#parts.requests.error(ClientRequest.callTool(endpoint.name), reason, cause)
  }

  /** Whether the tool of an endpoint may be called twice: its contract says so, or its server does and is believed. */
  #isSafe({ about: { hints }, name }: AnyEndpoint): boolean {
    return hints?.readOnly === true || hints?.idempotent === true || this.#isTrustedSafe(name)
  }

  #isTrustedSafe(name: string): boolean {
    return this.#parts.trusted && this.#markedSafe.has(name)
  }
}

const isMarkedSafe = ({ annotations }: Tool): boolean =>
  annotations?.readOnlyHint === true || annotations?.idempotentHint === true

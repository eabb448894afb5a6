/**
 * Why a request of a client failed: one error, `McpError`, whose tagged `reason` says which of a closed set of things
 * happened and carries its facts.
 *
 * Only `Rpc` comes from the peer as a JSON-RPC error; no other reason can be taken for one (ERR-13). The errors that an
 * endpoint declares are not in here: a typed call fails with their own classes.
 */
import * as Data from "effect/Data"
import type { Json } from "@treadle/protocol/json"
import type { ContentBlock } from "@treadle/protocol/schema"

/** The server does not offer what was asked of it. */
class NotOffered extends Data.TaggedError("NotOffered")<{ readonly what: string }> {
  override get message(): string {
    return this.what
  }
}

/** The tool ran and said no, in words for a model: `message` is its text. */
class ToolFailed extends Data.TaggedError("ToolFailed")<{
  readonly message: string
  readonly content: ReadonlyArray<ContentBlock>
  readonly structuredContent?: Json
}> {}

/** The server answered with a JSON-RPC error. */
class Rpc extends Data.TaggedError("Rpc")<{
  readonly code: number
  readonly message: string
  readonly data?: Json
  /** The HTTP status that it came with. */
  readonly status?: number
}> {}

/** The request or its answer did not get through. */
class Transport extends Data.TaggedError("Transport")<{
  readonly message: string
  /** The HTTP status, where there was an answer. */
  readonly status?: number
  /** The first characters of what came instead of an answer. */
  readonly body?: string
  /** How long the server asks to wait before the next try, in milliseconds (HTTP 429, 503). */
  readonly retryAfter?: number
  /** The request provably did not run: nothing took it. */
  readonly notRun?: boolean
  readonly cause?: unknown
}> {}

/** The session or its pipe was closed, by either side. */
class Closed extends Data.TaggedError("Closed")<{
  readonly detail?: string
  /** The request provably did not run: it was never sent. */
  readonly notRun?: boolean
}> {
  override get message(): string {
    return this.detail ?? "the session is closed; open a new one, or await the request before it is closed"
  }
}

/** No answer came in time. */
class TimedOut extends Data.TaggedError("TimedOut")<{
  /** The time that was waited, in milliseconds. */
  readonly after: number
  readonly method: string
  /** The setting or the option that ended the wait; `timeout` where it is absent. */
  readonly limit?: "connectTimeout" | "maxTotalTimeout" | "probeTimeout"
}> {
  override get message(): string {
    const { after, limit = "timeout" } = this
    const what =
      limit === "maxTotalTimeout" ? `it was not done within ${after} ms in all` : `no answer within ${after} ms`
    return `${what}; it was cancelled. Give a longer "${limit}" if it needs one`
  }
}

/** The caller no longer wanted the answer. */
class Cancelled extends Data.TaggedError("Cancelled")<{ readonly why?: string }> {
  override get message(): string {
    return this.why === undefined ? "the caller cancelled it" : `the caller cancelled it: ${this.why}`
  }
}

/** The server asked for input that the client did not give. */
class InputRefused extends Data.TaggedError("InputRefused")<{ readonly asked: string }> {
  override get message(): string {
    return `it needs input that was not given: ${this.asked}`
  }
}

/** The server asked for input again and again. */
class TooManyRounds extends Data.TaggedError("TooManyRounds")<{ readonly rounds: number }> {
  override get message(): string {
    return `it still asked for input after ${this.rounds} rounds`
  }
}

/** The call became a task, and the server has no result of it: it cancelled the task, or knows it no longer. */
class TaskLost extends Data.TaggedError("TaskLost")<{
  readonly taskId: string
  readonly why: "cancelled" | "unknown"
  /** What the server said of it. */
  readonly said?: string
}> {
  override get message(): string {
    const task = `task ${JSON.stringify(this.taskId)}`
    const said = this.said === undefined ? "" : `: ${this.said}`
    return this.why === "cancelled"
      ? `the server cancelled its ${task}${said}`
      : `the server knows no ${task}, which may have expired, or ended with its process; call again if that does no harm${said}`
  }
}

/** The server wants to know who is calling, or that the caller may do more (HTTP 401, 403). */
class Unauthorized extends Data.TaggedError("Unauthorized")<{
  readonly server: string
  /** What happened and what to do, where more is known than that nothing was shown. */
  readonly detail?: string
  /** Where the server says how to authorize (RFC 9728), if it does. */
  readonly metadata?: string
  /** What a provider of tokens failed of. */
  readonly cause?: unknown
}> {
  override get message(): string {
    const { detail, metadata } = this
    if (detail !== undefined) return detail
    const where = metadata === undefined ? "" : `, and says how at ${metadata}`
    return `the server asks for authorization (HTTP 401)${where}; give a token provider as the "auth" setting, or a token in "headers"`
  }
}

/** A value is not what was agreed: an answer of the server, or the arguments before they are sent. */
class Undecodable extends Data.TaggedError("Undecodable")<{
  /** What it is about, such as `the result`. */
  readonly what: string
  /** One sentence a problem. */
  readonly problems: ReadonlyArray<string>
  /** The request provably did not run: its arguments cannot be sent. */
  readonly notRun?: boolean
  /** What a tool said all the same. */
  readonly content?: ReadonlyArray<ContentBlock>
}> {
  override get message(): string {
    return `${this.what} is not as agreed: ${this.problems.join("; ")}`
  }
}

/** The reasons, for those who make errors themselves, as tests do. */
export const McpReason = {
  NotOffered,
  ToolFailed,
  Rpc,
  Transport,
  Closed,
  TimedOut,
  Cancelled,
  InputRefused,
  TooManyRounds,
  TaskLost,
  Unauthorized,
  Undecodable
}

/** Why a request failed. */
export type McpReason = InstanceType<(typeof McpReason)[keyof typeof McpReason]>

/** Whether the server answered with HTTP 404: within a session it no longer knows it (CHTTP-17). */
export const hasStatus404 = (reason: McpReason): boolean =>
  (reason._tag === "Transport" || reason._tag === "Rpc") && reason.status === 404

/** An address as messages show it: without credentials and query, which may be secrets; what is no URL, as it is. */
export const addressOf = (url: string | URL): string => {
  if (!URL.canParse(url)) return String(url)
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

const said = (reason: McpReason): string =>
  reason._tag === "Rpc" ? `${reason.message} (JSON-RPC error ${reason.code})` : reason.message

/**
 * A request that failed.
 *
 * `cause` is what a handler in the same process died of, or what the platform threw.
 *
 * @example
 * ```ts
 * import { McpError, McpReason } from "@treadle/client"
 * import * as Effect from "effect/Effect"
 *
 * const reason = new McpReason.TimedOut({ after: 500, method: "tools/call" })
 * const failed = Effect.fail(new McpError({ reason, method: "tools/call", server: "https://box.example/mcp" }))
 *
 * Effect.runSync(Effect.catchReason(failed, "McpError", "TimedOut", (timedOut) => Effect.succeed(timedOut.after)))
 * // => 500
 * ```
 */
export class McpError extends Data.TaggedError("McpError")<{
  readonly reason: McpReason
  /** The method of the request. */
  readonly method: string
  /** The address, the command or the name of the server. */
  readonly server: string
  /** The tool, where the request was a call. */
  readonly tool?: string
  readonly cause?: unknown
}> {
  override get message(): string {
    const subject = this.tool === undefined ? this.method : `${this.method} ${JSON.stringify(this.tool)}`
    return `${subject} at ${this.server}: ${said(this.reason)}`
  }

  /** Whether the request provably did not run, so that it may be sent again once its cause is mended. */
  get notRun(): boolean {
    const { reason } = this
    switch (reason._tag) {
      case "NotOffered":
      case "Unauthorized":
        return true
      case "Closed":
      case "Transport":
      case "Undecodable":
        return reason.notRun === true
      default:
        return false
    }
  }
}

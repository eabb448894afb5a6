/**
 * A span for each request, where the application has given a tracer; the request carries it, so that the server goes on
 * with the trace. Effect's own default tracer is none, because it keeps nothing.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { own, type JsonObject } from "@treadle/protocol/json"
import { methodRow, type RequestId } from "@treadle/protocol/rpc"
import type { ClientRequest, Meta } from "@treadle/protocol/schema"
import { requestSpan, spanEnd, writeTrace, type SpanOutcome } from "@treadle/protocol/trace"
import type { McpError } from "../McpError.ts"

/** Whether there is a tracer that hears of requests. */
export const isTraced = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean =>
  cache.tracer !== undefined && cache.tracerEnabled

/** What the link says of a request. */
export interface LinkFacts {
  readonly version: string | undefined
  readonly session: string | undefined
  readonly http: boolean
}

interface Result {
  readonly result: JsonObject
}

const namedIn = ({ method, params }: ClientRequest, member: "name" | "uri"): string | undefined => {
  const value = methodRow(method)?.named === member ? own(params, member) : undefined
  return typeof value === "string" ? value : undefined
}

const outcomeOf = (exit: Exit.Exit<Result, McpError>): SpanOutcome | undefined => {
  if (Exit.isSuccess(exit)) return own(exit.value.result, "isError") === true ? { _tag: "ToolError" } : undefined
  const found = Cause.findError(exit.cause)
  if (found._tag === "Failure") {
    return { _tag: "Unanswered", type: "cancelled", message: "The caller cancelled the request" }
  }
  const { message, reason } = found.success
  return reason._tag === "Rpc"
    ? { _tag: "Rpc", code: reason.code, message: reason.message }
    : { _tag: "Unanswered", type: reason._tag, message }
}

/**
 * Sends a request in a span of its own.
 *
 * @param send gets what the request says of the span
 */
export const inSpan = <A extends Result>(
  id: RequestId,
  request: ClientRequest,
  facts: LinkFacts,
  send: (trace: Meta) => Effect.Effect<A, McpError>
): Effect.Effect<A, McpError> => {
  const { method } = request
  const target = namedIn(request, "name")
  const { name, options } = requestSpan({ kind: "client", method, id, target, uri: namedIn(request, "uri"), ...facts })
  return Effect.flatMap(Effect.makeSpan(name, options), (span) =>
    Effect.onExit(send(writeTrace(span)), (exit) =>
      Effect.map(Clock.Clock, (clock) => spanEnd(span, clock.currentTimeNanosUnsafe(), outcomeOf(exit)))
    )
  )
}

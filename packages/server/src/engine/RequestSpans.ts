/**
 * A span for each request, where the application has given a tracer: a child of the span that the request names, or else
 * of the one that its door is in. Effect's own default tracer is none, because it keeps nothing.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { own } from "@treadle/protocol/json"
import { methodRow } from "@treadle/protocol/rpc"
import { readTrace, requestSpan, spanEnd, type SpanOutcome } from "@treadle/protocol/trace"
import type { Admitted } from "../envelope/Admitted.ts"
import { isOnPipe } from "../envelope/Presented.ts"
import type { Running } from "./methods/Row.ts"
import type { RunningCall } from "./RunningCall.ts"
import type { Answer } from "./Sink.ts"

/** Whether there is a tracer that hears of requests: one look, which copies no services. */
export const isTraced = (services: Context.Context<never>): boolean =>
  Context.get(services, Tracer.Tracer) !== Tracer.nativeTracer

/** Where a request names its parent, the span that its door is in is a link (OpenTelemetry has the two be independent). */
const standing = (request: Admitted, services: Context.Context<never>): Tracer.SpanOptionsNoTrace => {
  const parent = readTrace(request.meta)
  const ambient = Context.getOrUndefined(services, Tracer.ParentSpan)
  if (parent === undefined) return ambient === undefined ? { root: true } : { parent: ambient }
  return { parent, ...(ambient === undefined ? {} : { links: [{ span: ambient, attributes: {} }] }) }
}

const begin = (request: Admitted, target: string | undefined, services: Context.Context<never>): Tracer.Span => {
  const { inbound, revision, routed, session } = request
  const { id, method, params } = request.request
  const uri = methodRow(method)?.named === "uri" ? own(params, "uri") : undefined
  const { name, options } = requestSpan({
    kind: "server",
    method,
    id,
    target,
    uri: typeof uri === "string" ? uri : undefined,
    version: revision.version,
    session: session?.id,
    http: !isOnPipe(inbound)
  })
  // The span of its request is that of the HTTP server; this one is about the operation, and nothing of MCP.
  const made = routed
    ? Effect.makeSpan(target ?? name, { kind: "internal", ...standing(request, services) })
    : Effect.makeSpan(name, { ...options, ...standing(request, services) })
  return Effect.runSyncWith(services)(made)
}

const outcomeOf = (answer: Answer | undefined): SpanOutcome | undefined => {
  if (answer === undefined) return { _tag: "Unanswered", type: "cancelled", message: "The request was cancelled" }
  const { error, isError } = answer
  if (error !== undefined) return { _tag: "Rpc", code: error.code, message: error.message }
  return isError === true ? { _tag: "ToolError" } : undefined
}

const end = (span: Tracer.Span, services: Context.Context<never>, answer: Answer | undefined): void =>
  spanEnd(span, Context.get(services, Clock.Clock).currentTimeNanosUnsafe(), outcomeOf(answer))

/** A tracer is code of the application's: one that throws costs a span, and no request its answer. */
const guarded = <A>(services: Context.Context<never>, run: () => A): A | undefined => {
  try {
    return run()
  } catch (error) {
    Effect.runForkWith(services)(
      Effect.withTracerEnabled(Effect.logError("The tracer failed, and a request goes without its span.", error), false)
    )
    return undefined
  }
}

/** The tool or the prompt of a request. */
const targetOf = (request: Admitted, { name }: Running): string | undefined =>
  methodRow(request.request.method)?.named === "name" ? name : undefined

/**
 * Opens the span of a call, which ends with its answer.
 *
 * @returns the services, with the span as the parent of what the handler does
 */
export const openSpan = <R>(call: RunningCall, running: Running, services: Context.Context<R>): Context.Context<R> => {
  const span = guarded(services, () => begin(call.admitted, targetOf(call.admitted, running), services))
  if (span === undefined) return services
  call.traced = (answer) => guarded(services, () => end(span, services, answer))
  return Context.add(services, Tracer.ParentSpan, span)
}

/** The span of a request that was answered at once; a route has none of its own. */
export const answeredSpan = (request: Admitted, services: Context.Context<never>, answer: Answer): void => {
  if (!request.routed) guarded(services, () => end(begin(request, undefined, services), services, answer))
}

/**
 * The span of a request, on either side: its name, its attributes, and how it ends, after the semantic conventions of
 * OpenTelemetry for MCP.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/
 */
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import type { RequestId } from "../rpc/index.ts"

/** What is known of a request when it begins. */
export interface SpanFacts {
  readonly kind: "client" | "server"
  readonly method: string
  readonly id: RequestId
  /** The tool or the prompt; a name that is not known to exist makes no name of a span. */
  readonly target?: string | undefined
  readonly uri?: string | undefined
  readonly version?: string | undefined
  /** The compat session over HTTP. */
  readonly session?: string | undefined
  readonly http: boolean
}

const targetKey = (method: string): string => (method === "prompts/get" ? "gen_ai.prompt.name" : "gen_ai.tool.name")

const attributesOf = (facts: SpanFacts): Record<string, unknown> => {
  const { http, id, method, session, target, uri, version } = facts
  return {
    "mcp.method.name": method,
    "jsonrpc.request.id": String(id),
    "network.transport": http ? "tcp" : "pipe",
    ...(http ? { "network.protocol.name": "http" } : {}),
    ...(method === "tools/call" ? { "gen_ai.operation.name": "execute_tool" } : {}),
    ...(target === undefined ? {} : { [targetKey(method)]: target }),
    ...(uri === undefined ? {} : { "mcp.resource.uri": uri }),
    ...(version === undefined || version === "" ? {} : { "mcp.protocol.version": version }),
    ...(session === undefined || session === "" ? {} : { "mcp.session.id": session })
  }
}

/** The name of a request's span, and what it begins with. */
export const requestSpan = (
  facts: SpanFacts
): { readonly name: string; readonly options: Tracer.SpanOptionsNoTrace } => ({
  name: facts.target === undefined ? facts.method : `${facts.method} ${facts.target}`,
  options: { kind: facts.kind, attributes: attributesOf(facts) }
})

/** How a request ended, where it did not succeed. */
export type SpanOutcome =
  | { readonly _tag: "Rpc"; readonly code: number; readonly message: string }
  /** A tool said that it failed. */
  | { readonly _tag: "ToolError" }
  /** There is no answer, for a reason with a name. */
  | { readonly _tag: "Unanswered"; readonly type: string; readonly message: string }

/** The failure that a tracer shows; its stack would say nothing. */
class SpanError {
  readonly _tag = "SpanError"
  readonly name: string
  readonly message: string

  constructor(name: string, message: string) {
    this.name = name
    this.message = message
  }
}

/**
 * Ends the span of a request.
 *
 * @param outcome `undefined` for success
 */
export const spanEnd = (span: Tracer.Span, endTime: bigint, outcome: SpanOutcome | undefined): void => {
  if (outcome === undefined) return span.end(endTime, Exit.void)
  switch (outcome._tag) {
    case "Rpc": {
      const code = String(outcome.code)
      span.attribute("rpc.response.status_code", code)
      span.attribute("error.type", code)
      return span.end(endTime, Exit.fail(new SpanError(code, outcome.message)))
    }
    case "ToolError":
      span.attribute("error.type", "tool_error")
      return span.end(endTime, Exit.fail(new SpanError("tool_error", "The tool said that it failed")))
    case "Unanswered":
      span.attribute("error.type", outcome.type)
      return span.end(endTime, Exit.fail(new SpanError(outcome.type, outcome.message)))
  }
}

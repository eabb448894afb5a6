/**
 * A tool result as the endpoint reads it: a value, one of its declared errors, or the reason why it is neither.
 *
 * A failed result is never checked against the output schema: what the tool says of its failure must get through
 * (B006, B012).
 */
import * as Effect from "effect/Effect"
import type { AnyEndpoint, FailureOf, OutputOf } from "@treadle/protocol/endpoint"
import { revisionOf } from "@treadle/protocol/era"
import { own, parseJson } from "@treadle/protocol/json"
import { textOf, type ContentBlock, type Meta, type ToolResult } from "@treadle/protocol/schema"
import { McpReason } from "../McpError.ts"

/** What a tool returned: the typed value and every content block, as they came. */
export interface CallReply<out A> {
  readonly value: A
  readonly content: ReadonlyArray<ContentBlock>
  readonly meta?: Meta
}

/** How a call failed: with a declared error, or for a reason of the client's. */
export type CallFailure<E> =
  | { readonly _tag: "Declared"; readonly error: E }
  | { readonly _tag: "Reason"; readonly reason: McpReason }

const because = (reason: McpReason): CallFailure<never> => ({ _tag: "Reason", reason })

const toolFailed = ({ content, structuredContent }: ToolResult): CallFailure<never> =>
  because(
    new McpReason.ToolFailed({
      message: textOf(content) || "the tool failed and did not say why",
      content,
      ...(structuredContent === undefined ? {} : { structuredContent })
    })
  )

const undecodable = ({ content }: ToolResult, problems: ReadonlyArray<string>): CallFailure<never> =>
  because(new McpReason.Undecodable({ what: "the result", problems, content }))

/**
 * The structured value of a result. Older revisions have none, so there its text is read as JSON; what comes all the
 * same is used, because a declared error is in it.
 */
const structuredIn = (result: ToolResult, version: string, wrapped: boolean): unknown => {
  if (result.structuredContent !== undefined || revisionOf(version)?.structured === true)
    return result.structuredContent
  const text = textOf(result.content)
  const json = parseJson(text)
  if (!wrapped) return json
  return own(json, "value") === undefined ? { value: json ?? text } : json
}

/** The error in the server's words, where its class has none of its own. */
const worded = (error: unknown, { content }: ToolResult): unknown => {
  if (error instanceof Error && error.message === "") {
    Object.defineProperty(error, "message", { value: textOf(content), configurable: true, writable: true })
  }
  return error
}

const failure = <E>(endpoint: AnyEndpoint, result: ToolResult): Effect.Effect<never, CallFailure<E>> => {
  const { errors } = endpoint.shape
  if (errors === undefined || result.structuredContent === undefined) return Effect.fail(toolFailed(result))
  return Effect.matchEffect(errors.decode(result.structuredContent), {
    onFailure: () => Effect.fail(toolFailed(result)),
    // The endpoint's type is that of its error schemas, which decoded this.
    onSuccess: (error) => Effect.fail<CallFailure<E>>({ _tag: "Declared", error: worded(error, result) as E })
  })
}

const valueOf = (
  endpoint: AnyEndpoint,
  result: ToolResult,
  version: string
): Effect.Effect<unknown, CallFailure<never>> => {
  const { output } = endpoint.shape
  if (output === undefined) return Effect.succeed(textOf(result.content))
  const structured = structuredIn(result, version, output.wrapped)
  if (structured === undefined) {
    const problem = `structuredContent: "${endpoint.name}" has an output schema, and nothing was sent`
    return Effect.fail(undecodable(result, [problem]))
  }
  return Effect.mapError(output.decode(structured), ({ problems }) => undecodable(result, problems))
}

/** The outcome of a call. @param version the revision that the result came in */
export const toolOutcome = <X extends AnyEndpoint>(
  endpoint: X,
  result: ToolResult,
  version: string
): Effect.Effect<CallReply<OutputOf<X>>, CallFailure<FailureOf<X>>> => {
  if (result.isError === true) return failure(endpoint, result)
  const { _meta, content } = result
  return Effect.map(valueOf(endpoint, result, version), (value) => ({
    // The endpoint's type is that of its output schema, which decoded this.
    value: value as OutputOf<X>,
    content,
    ...(_meta === undefined ? {} : { meta: _meta })
  }))
}

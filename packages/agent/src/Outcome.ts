/**
 * How a run ended. It is a value, also when a budget ended the run: what was reached until then is in it.
 */
import type { McpError } from "@treadle/client"
import type { AnyEndpoint, FailureOf, InputOf, OutputOf } from "@treadle/protocol/endpoint"
import type { Json } from "@treadle/protocol/json"
import { textOf, type ToolResult } from "@treadle/protocol/schema"
import { settled } from "./Settled.ts"

/** Why it ended. */
export type RunStatus =
  | "completed"
  /** The model declined, by `finish` or by its provider's filter. */
  | "refused"
  | "exhausted_steps"
  | "exhausted_tokens"
  | "deadline"
  | "cancelled"
  /** Steps that brought nothing new, one after another. */
  | "stalled"
  /** The same call over and over. */
  | "loop_detected"
  | "failed"

/** What a run has used. */
export interface RunUsage {
  /** Tokens that the model read, as its provider counts them; 0 where it does not say. */
  readonly input: number
  readonly output: number
  /** Calls of the model. */
  readonly steps: number
}

/** A call that a run made, in its order. */
export interface RunCall {
  /** The server; empty for the agent's own tools. */
  readonly server: string
  readonly tool: string
  /** The arguments as the model gave them. */
  readonly input: unknown
  /** What the server answered. */
  readonly result?: ToolResult
  /** Why there was no answer. */
  readonly error?: McpError
}

/** A call of an endpoint, with the types of its contract. */
export interface TypedRunCall<X extends AnyEndpoint> {
  readonly server: string
  /** What a handler gets: decoded, defaults filled in. `undefined` where the arguments do not fit. */
  readonly input: InputOf<X> | undefined
  readonly output?: OutputOf<X>
  /** The declared error, the text of a failure, or why there was no answer. */
  readonly error?: FailureOf<X> | McpError | string
}

/** What an outcome is made of. */
export interface OutcomeFields<A> {
  readonly runId: string
  readonly status: RunStatus
  /** Whether there is less than what was asked for: cut off, or not of the agreed form. */
  readonly partial: boolean
  /** The typed answer; without an `answer` schema it is the text. `undefined` where there is none. */
  readonly answer: A | undefined
  /** The last text of the model. */
  readonly text: string
  readonly usage: RunUsage
  /** What a failed run failed of. */
  readonly error?: string
  /** It was given up while it still ran: it did not react to being interrupted. */
  readonly abandoned?: true
}

/** How a run ended. */
export class Outcome<out A> implements OutcomeFields<A> {
  readonly runId: string
  readonly status: RunStatus
  readonly partial: boolean
  readonly answer: A | undefined
  readonly text: string
  readonly usage: RunUsage
  declare readonly error?: string
  declare readonly abandoned?: true
  readonly #calls: ReadonlyArray<RunCall>

  constructor(fields: OutcomeFields<A>, calls: ReadonlyArray<RunCall>) {
    this.runId = fields.runId
    this.status = fields.status
    this.partial = fields.partial
    this.answer = fields.answer
    this.text = fields.text
    this.usage = fields.usage
    if (fields.error !== undefined) this.error = fields.error
    if (fields.abandoned !== undefined) this.abandoned = fields.abandoned
    this.#calls = calls
  }

  /** The calls of the run, in their order; those of one endpoint are typed. */
  calls(): ReadonlyArray<RunCall>
  calls<X extends AnyEndpoint>(endpoint: X): ReadonlyArray<TypedRunCall<X>>
  calls(endpoint?: AnyEndpoint): ReadonlyArray<RunCall | TypedRunCall<AnyEndpoint>> {
    if (endpoint === undefined) return this.#calls
    return this.#calls.filter(({ tool }) => tool === endpoint.name).map((call) => typedCall(endpoint, call))
  }
}

/** Reads a call by the contract of its tool, whose schemas decode to its types. */
const typedCall = <X extends AnyEndpoint>(endpoint: X, call: RunCall): TypedRunCall<X> => {
  const { shape } = endpoint
  const input = settled(shape.input.decode(call.input)) as InputOf<X> | undefined
  const { error, result, server } = call
  if (result === undefined) return { server, input, ...(error === undefined ? {} : { error }) }
  const content = result.structuredContent
  if (result.isError === true) {
    const declared = shape.errors === undefined ? undefined : settled(shape.errors.decode(content))
    return { server, input, error: (declared as FailureOf<X> | undefined) ?? textOf(result.content) }
  }
  const output = shape.output === undefined ? textOf(result.content) : settled(shape.output.decode(content as Json))
  return { server, input, output: output as OutputOf<X> }
}

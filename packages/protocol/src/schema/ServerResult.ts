/**
 * What a server answers to each typed request, for the reader of an answer.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { own, wireDecoder, type Misfit } from "../json/index.ts"
import type { ClientMethod } from "./ClientRequest.ts"
import { CompletionResult } from "./Completion.ts"
import { DiscoverResult } from "./Discover.ts"
import { InitializeResult } from "./Initialize.ts"
import { Postponed, Questions, type InputRequiredResult } from "./InputRequired.ts"
import { Meta } from "./Meta.ts"
import { PromptPage, ReadResult, ResourcePage, TemplatePage, ToolPage } from "./Page.ts"
import { payloadDecoders } from "./PayloadTable.ts"
import { PromptResult } from "./Prompt.ts"
import { ListenResult } from "./Subscription.ts"
import { CreateTaskResult, GetTaskResult } from "./Task.ts"
import { ToolResult } from "./ToolResult.ts"

/** An answer that says no more than that it was done. */
export const EmptyResult = Schema.Struct({
  resultType: Schema.optionalKey(Schema.Literal("complete")),
  _meta: Schema.optionalKey(Meta)
})
export interface EmptyResult extends Schema.Schema.Type<typeof EmptyResult> {}

const results = {
  "server/discover": DiscoverResult,
  initialize: InitializeResult,
  ping: EmptyResult,
  "tools/list": ToolPage,
  "tools/call": ToolResult,
  "resources/list": ResourcePage,
  "resources/templates/list": TemplatePage,
  "resources/read": ReadResult,
  "resources/subscribe": EmptyResult,
  "resources/unsubscribe": EmptyResult,
  "prompts/list": PromptPage,
  "prompts/get": PromptResult,
  "completion/complete": CompletionResult,
  "logging/setLevel": EmptyResult,
  "subscriptions/listen": ListenResult,
  "tasks/get": GetTaskResult,
  "tasks/update": EmptyResult,
  "tasks/cancel": EmptyResult
} as const satisfies { readonly [M in ClientMethod]: Schema.Top }

/** The result of a method. */
export type ServerResult<M extends ClientMethod> = (typeof results)[M]["Type"]

/** One round of a call: its result, what the server asks before it goes on, or the task that it became. */
export type Round<M extends ClientMethod> =
  | { readonly _tag: "Complete"; readonly result: ServerResult<M> }
  | { readonly _tag: "InputRequired"; readonly result: InputRequiredResult }
  | { readonly _tag: "Task"; readonly result: CreateTaskResult }

const decoderOf = payloadDecoders(results)
const decodeQuestions = wireDecoder(Questions)
const decodePostponed = wireDecoder(Postponed)
const decodeTask = wireDecoder(CreateTaskResult)

const decodeInputRequired = (value: unknown): Result.Result<InputRequiredResult, Misfit> => {
  if (own(value, "inputRequests") !== undefined) return decodeQuestions(value)
  return own(value, "requestState") === undefined
    ? Result.fail({ problems: [`an input_required result must have "inputRequests", "requestState" or both`] })
    : decodePostponed(value)
}

/** The methods that may ask before they go on (MRTR-02). */
const asking: ReadonlySet<string> = new Set<ClientMethod>(["tools/call", "prompts/get", "resources/read"])

/** The methods that may become a task (TASK-04). */
const tasked: ReadonlySet<string> = new Set<ClientMethod>(["tools/call"])

const noAnswer = (type: string, method: string): Result.Result<never, Misfit> =>
  Result.fail({ problems: [`resultType "${type}" is no answer to ${method}`] })

/**
 * Reads the `result` member of an answer.
 *
 * An absent `resultType` is `complete` (BASE-09); one that neither the core nor a declared extension knows makes the
 * answer invalid (BASE-10). So do `input_required` and `task` here: `decodeRound` reads them.
 */
const decode = <M extends ClientMethod>(method: M, value: unknown): Result.Result<ServerResult<M>, Misfit> => {
  const type = own(value, "resultType")
  if (type !== undefined && type !== "complete") {
    return Result.fail({ problems: [`resultType ${JSON.stringify(type)} is not one this client understands`] })
  }
  const decoder = decoderOf(method)
  return decoder === undefined
    ? Result.fail({ problems: [`${method} has no typed result`] })
    : (decoder(value) as Result.Result<ServerResult<M>, Misfit>)
}

/**
 * Reads the `result` member of an answer that may ask before it goes on, or promise its result.
 *
 * @returns the result, the questions or the task; the latter two are invalid from a method that has none (MRTR-02,
 *   TASK-04)
 */
const decodeRound = <M extends ClientMethod>(method: M, value: unknown): Result.Result<Round<M>, Misfit> => {
  const type = own(value, "resultType")
  if (type === "input_required") {
    if (!asking.has(method)) return noAnswer(type, method)
    return Result.map(decodeInputRequired(value), (result) => ({ _tag: "InputRequired", result }))
  }
  if (type === "task") {
    if (!tasked.has(method)) return noAnswer(type, method)
    return Result.map(decodeTask(value), (result) => ({ _tag: "Task", result }))
  }
  return Result.map(decode(method, value), (result) => ({ _tag: "Complete", result }))
}

/**
 * Reads what a server answers.
 *
 * @example
 * ```ts
 * import { ServerResult } from "@treadle/protocol/schema"
 * import * as Result from "effect/Result"
 *
 * const answer = { resultType: "input_required", requestState: "sealed" }
 * Result.map(ServerResult.decodeRound("tools/call", answer), (round) => round._tag)
 * // => Result.succeed("InputRequired")
 * ```
 */
export const ServerResult = { decode, decodeRound }

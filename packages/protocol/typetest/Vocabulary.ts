/**
 * The types of requests and of their answers: each constructor has the type of its own method.
 */
import type { Misfit } from "@treadle/protocol/json"
import {
  ClientRequest,
  CreateTaskResult,
  formAnswer,
  KnownNotification,
  ServerRequest,
  ServerResult,
  type ClientAnswer,
  type CompletionResult,
  type ElicitResult,
  type InputRequiredResult,
  type PromptResult,
  type Round,
  type ToolPage,
  type ToolResult
} from "@treadle/protocol/schema"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { is, type Eq } from "./Equal.ts"

declare const request: <R extends ClientRequest>(request: R) => ServerResult<R["method"]>
declare const ask: <R extends ServerRequest>(request: R) => ClientAnswer<R["method"]>

const list = ClientRequest.listTools()
is<typeof list extends Extract<ClientRequest, { readonly method: "tools/list" }> ? true : false>()
is<Extract<ClientRequest, { readonly method: "tools/list" }> extends typeof list ? true : false>()

const tools = request(list)
is<Eq<typeof tools, ToolPage>>()
const prompt = request(ClientRequest.getPrompt("p"))
is<Eq<typeof prompt, PromptResult>>()
const values = request(ClientRequest.complete({ type: "ref/prompt", name: "p" }, { name: "a", value: "" }))
is<Eq<typeof values, CompletionResult>>()

// Any request has any result.
declare const some: ClientRequest
const result = request(some)
is<ToolPage extends typeof result ? true : false>()

const answer = ask(ServerRequest.elicit({ mode: "url", message: "m", url: "https://a.example" }))
is<Eq<typeof answer, ElicitResult>>()

// A round is a result, the questions or a task.
const round = ServerResult.decodeRound("tools/call", {})
is<Eq<typeof round, Result.Result<Round<"tools/call">, Misfit>>>()
declare const one: Round<"tools/call">
if (one._tag === "Complete") is<Eq<typeof one.result, ToolResult>>()
else if (one._tag === "InputRequired") is<Eq<typeof one.result, InputRequiredResult>>()
else is<Eq<typeof one.result, CreateTaskResult>>()

// The parameters of a retry, which a first attempt has not.
const retry = ClientRequest.callTool("t", { a: 1 }, { requestState: "s" })
is<Eq<typeof retry.params.requestState, string | undefined>>()

// A method narrows a request and a notification.
if (some.method === "logging/setLevel") is<Eq<typeof some.params.level extends string ? true : false, true>>()
declare const told: KnownNotification
if (told.method === "notifications/elicitation/complete") is<Eq<typeof told.params.elicitationId, string>>()

// Extensions add members to a filter.
ClientRequest.listen({ toolsListChanged: true, taskIds: ["t"] })

// The answer to a form has the type of its struct.
const read = formAnswer(Schema.Struct({ seats: Schema.Int, note: Schema.optionalKey(Schema.String) }))
is<Eq<ReturnType<typeof read>, Result.Result<{ readonly seats: number; readonly note?: string }, Misfit>>>()

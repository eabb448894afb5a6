/**
 * The requests a client sends, typed, in both eras, and their native envelope.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { JsonObject } from "../json/index.ts"
import { Message, type Request, type RequestId, type RpcError } from "../rpc/index.ts"
import { CompletionArgument, CompletionContext, CompletionReference } from "./Completion.ts"
import { InitializeRequest } from "./Initialize.ts"
import { roundMembers, type InputResponses, type InputRound } from "./InputRequired.ts"
import { LogLevel } from "./Logging.ts"
import { Meta } from "./Meta.ts"
import { Bare, paramsReader } from "./PayloadTable.ts"
import { requestMeta, type RequestFacts } from "./RequestMeta.ts"
import { SubscriptionFilter } from "./Subscription.ts"
import { TaskRequest, TaskUpdate } from "./Task.ts"

const meta = { _meta: Schema.optionalKey(Meta) }
const Listing = Schema.Struct({ cursor: Schema.optionalKey(Schema.String), ...meta })
const Watching = Schema.Struct({ uri: Schema.String, ...meta })

const payloads = {
  "server/discover": Bare,
  initialize: InitializeRequest,
  ping: Bare,
  "tools/list": Listing,
  "tools/call": Schema.Struct({
    name: Schema.String,
    arguments: Schema.optionalKey(Schema.JsonObject),
    ...roundMembers,
    ...meta
  }),
  "resources/list": Listing,
  "resources/templates/list": Listing,
  "resources/read": Schema.Struct({ uri: Schema.String, ...roundMembers, ...meta }),
  "resources/subscribe": Watching,
  "resources/unsubscribe": Watching,
  "prompts/list": Listing,
  "prompts/get": Schema.Struct({
    name: Schema.String,
    arguments: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    ...roundMembers,
    ...meta
  }),
  "completion/complete": Schema.Struct({
    ref: CompletionReference,
    argument: CompletionArgument,
    context: Schema.optionalKey(CompletionContext),
    ...meta
  }),
  "logging/setLevel": Schema.Struct({ level: LogLevel, ...meta }),
  "subscriptions/listen": Schema.Struct({ notifications: SubscriptionFilter, ...meta }),
  "tasks/get": TaskRequest,
  "tasks/update": TaskUpdate,
  "tasks/cancel": TaskRequest
} as const

type Payloads = typeof payloads

/** The methods whose requests are typed: every one that a client may send. */
export type ClientMethod = keyof Payloads

/** One typed request: of any method, or of the methods that are named. */
export type ClientRequest<M extends ClientMethod = ClientMethod> = {
  [K in M]: { readonly method: K; readonly params: Payloads[K]["Type"] }
}[M]

const read = paramsReader(payloads)

/** Whether a method has a typed request. */
const isKnown = (method: string): method is ClientMethod => Object.hasOwn(payloads, method)

/**
 * Reads method and parameters, whatever the era.
 *
 * @returns the request, or the error to answer with: `-32601` for an unknown method, `-32602` for parameters that do
 *   not fit, with every problem
 */
const decode = <M extends string>(
  method: M,
  params: unknown
): Result.Result<ClientRequest<M & ClientMethod>, RpcError> =>
  Result.map(read(method, params), (fitting) => ({ method, params: fitting }) as ClientRequest<M & ClientMethod>)

/**
 * The request as a message.
 *
 * @param facts what a native request says about its sender; left out in the compat era, where a session says it once
 */
const toMessage = (id: RequestId, request: ClientRequest, facts?: RequestFacts): Request => {
  const params = request.params as JsonObject & { readonly _meta?: Meta }
  return Message.request(
    id,
    request.method,
    facts === undefined ? params : { ...params, _meta: { ...params._meta, ...requestMeta(facts) } }
  )
}

/** A page of a list, from its start or from a cursor. */
const listing =
  <M extends ClientMethod>(method: M) =>
  (cursor?: string): { readonly method: M; readonly params: typeof Listing.Type } => ({
    method,
    params: cursor === undefined ? {} : { cursor }
  })

/**
 * Builds and reads the requests of a client. Each constructor has the type of its own method, so that whoever sends the
 * request knows what the answer is.
 *
 * @example
 * ```ts
 * import { Message } from "@treadle/protocol/rpc"
 * import { ClientRequest } from "@treadle/protocol/schema"
 *
 * const call = ClientRequest.callTool("get_show", { id: 1 })
 * Message.print(ClientRequest.toMessage(1, call, { version: "2026-07-28" }))
 * // => '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_show","arguments":{"id":1},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
 * ```
 */
export const ClientRequest = {
  /** Native: what the server speaks and offers (DISC-01). */
  discover: (): ClientRequest<"server/discover"> => ({ method: "server/discover", params: {} }),
  /** Compat: the first request of a session (INIT-01). */
  initialize: (params: InitializeRequest): ClientRequest<"initialize"> => ({ method: "initialize", params }),
  /** Compat: whether the server is there (INIT-11). */
  ping: (): ClientRequest<"ping"> => ({ method: "ping", params: {} }),
  /** @param cursor `nextCursor` of the page before */
  listTools: listing("tools/list"),
  /** @param round the answers and the state of a retry */
  callTool: (name: string, args?: JsonObject, round?: InputRound): ClientRequest<"tools/call"> => ({
    method: "tools/call",
    params: args === undefined ? { name, ...round } : { name, arguments: args, ...round }
  }),
  /** @param cursor `nextCursor` of the page before */
  listResources: listing("resources/list"),
  /** @param cursor `nextCursor` of the page before */
  listTemplates: listing("resources/templates/list"),
  /** @param round the answers and the state of a retry */
  readResource: (uri: string, round?: InputRound): ClientRequest<"resources/read"> => ({
    method: "resources/read",
    params: { uri, ...round }
  }),
  /** Compat: wants to hear of changes of one resource (CSUB-01); in the native era see `listen`. */
  subscribe: (uri: string): ClientRequest<"resources/subscribe"> => ({
    method: "resources/subscribe",
    params: { uri }
  }),
  /** Compat: wants to hear of them no longer. */
  unsubscribe: (uri: string): ClientRequest<"resources/unsubscribe"> => ({
    method: "resources/unsubscribe",
    params: { uri }
  }),
  /** @param cursor `nextCursor` of the page before */
  listPrompts: listing("prompts/list"),
  /** @param args always text @param round the answers and the state of a retry */
  getPrompt: (
    name: string,
    args?: { readonly [name: string]: string },
    round?: InputRound
  ): ClientRequest<"prompts/get"> => ({
    method: "prompts/get",
    params: args === undefined ? { name, ...round } : { name, arguments: args, ...round }
  }),
  /** @param chosen the values of the other arguments, where known (COMP-02) */
  complete: (
    ref: CompletionReference,
    argument: CompletionArgument,
    chosen?: { readonly [name: string]: string }
  ): ClientRequest<"completion/complete"> => ({
    method: "completion/complete",
    params: chosen === undefined ? { ref, argument } : { ref, argument, context: { arguments: chosen } }
  }),
  /**
   * Compat: the least level of log messages that the session wants (LOG-07).
   *
   * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28.
   */
  setLogLevel: (level: LogLevel): ClientRequest<"logging/setLevel"> => ({
    method: "logging/setLevel",
    params: { level }
  }),
  /** Native: opens a subscription, which lasts until it is cancelled (SUB-01). */
  listen: (notifications: SubscriptionFilter): ClientRequest<"subscriptions/listen"> => ({
    method: "subscriptions/listen",
    params: { notifications }
  }),
  /** Native: how a task stands (TASK-08). */
  getTask: (taskId: string): ClientRequest<"tasks/get"> => ({ method: "tasks/get", params: { taskId } }),
  /** Native: answers what a task asks. @param inputResponses under keys that are outstanding (TASK-10) */
  updateTask: (taskId: string, inputResponses: InputResponses): ClientRequest<"tasks/update"> => ({
    method: "tasks/update",
    params: { taskId, inputResponses }
  }),
  /** Native: a task is wanted no longer (TASK-12). */
  cancelTask: (taskId: string): ClientRequest<"tasks/cancel"> => ({ method: "tasks/cancel", params: { taskId } }),
  isKnown,
  decode,
  toMessage
}

/**
 * The builder: a server as a plain value. Adding never throws and never overwrites; `build` says everything that is
 * wrong at once; any door serves the value. It holds no live state and may be copied.
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import {
  endpointOf,
  type AnyEndpoint,
  type Description,
  type ErrorsDef,
  type FailureOf,
  type Input,
  type InputDef,
  type InputOf,
  type OutputDef,
  type ReturnedOf
} from "@treadle/protocol/endpoint"
import type { JsonObject } from "@treadle/protocol/json"
import type { Message } from "@treadle/protocol/rpc"
import type { ToolName } from "@treadle/protocol/schema"
import type { CatalogOptions } from "./CatalogOptions.ts"
import type { CompleterServices } from "./Completer.ts"
import type { Call, CurrentCall } from "./CurrentCall.ts"
import type { EffectOrPromise, Replied } from "./EffectOrPromise.ts"
import { directPeer } from "./McpDirect.ts"
import { handleMessage } from "./McpHandle.ts"
import { buildErrors } from "./handler/BuildChecks.ts"
import { joined, layered, noEntries, type AnyLayer, type Entries } from "./handler/Entry.ts"
import type { AnyHandler } from "./handler/Invocation.ts"
import type { ToolSettings } from "./handler/OperationTool.ts"
import { placeBelow } from "./handler/Place.ts"
import type { AnyPromptDefinition } from "./handler/PromptHandler.ts"
import type { AnyReader } from "./handler/ResourceHandler.ts"
import type { AnyTemplateDefinition, AnyTemplateReader } from "./handler/TemplateHandler.ts"
import type { InlineDefinition, InlineEndpoint } from "./InlineDefinition.ts"
import { McpBuildErrors, readable, type McpBuildError, type Place } from "./McpBuildError.ts"
import type { PromptArguments, PromptBody, PromptDefinition } from "./PromptDefinition.ts"
import type { ReadBody, ResourceDefinition, TemplateDefinition, TextFields, Variables } from "./ResourceDefinition.ts"
import { makeServed, type Served, type ServedParts, type ServedDefinition, type ServedSettings } from "./Served.ts"
import type { Live, Part } from "./Live.ts"
import type { McpInfo } from "./McpInfo.ts"
import type { ResourceUnavailable } from "./ResourceUnavailable.ts"
import type { ToolOptions } from "./ToolOptions.ts"
import { settingErrors } from "./transport/SettingChecks.ts"

/** The function of an endpoint. */
export type Handler<X extends AnyEndpoint, Ctx, R> = (
  input: InputOf<X>,
  call: Call<Ctx, FailureOf<X>>
) => EffectOrPromise<Replied<ReturnedOf<X>>, FailureOf<X>, R>

/** Requirements that the builder itself meets: the call, the served thing, and a scope of its own for each call. */
type Met = CurrentCall | Live | Scope.Scope

/** Adds what no client shares the contract of, under a name that is checked where it is written. */
interface AddInline<out R, in out Ctx> {
  <
    const Name extends string,
    const I extends InputDef = {},
    const O extends OutputDef = never,
    const E extends ErrorsDef = never,
    R2 = never,
    const H extends string = string
  >(
    name: ToolName<Name>,
    definition: InlineDefinition<I, O, E, H, Ctx>,
    handler: Handler<InlineEndpoint<I, O, E>, Ctx, R2>
  ): Mcp<R | Exclude<R2, Met>, Ctx>
}

interface AddTool<out R, in out Ctx> extends AddInline<R, Ctx> {
  <X extends AnyEndpoint, R2 = never>(endpoint: X, handler: Handler<X, Ctx, R2>): Mcp<R | Exclude<R2, Met>, Ctx>
}

interface AddOperation<out R, in out Ctx> extends AddInline<R, Ctx> {
  <X extends AnyEndpoint, R2 = never>(
    endpoint: X,
    handler: Handler<X, Ctx, R2>,
    options?: ToolOptions<Ctx>
  ): Mcp<R | Exclude<R2, Met>, Ctx>
}

/** What can be served; the types of the builder are forgotten. */
export interface AnyMcp {
  readonly definition: ServedDefinition
}

/**
 * A server. `R` is what its handlers still need, `Ctx` what its doors must be given for each request.
 */
export interface Mcp<out R, in out Ctx = {}> extends AnyMcp, Part<R, Ctx> {
  readonly definition: ServedDefinition

  /**
   * Adds a tool: a contract that clients share and its function, or one that no client shares the contract of.
   *
   * @param endpoint what `Endpoint.make` gave; or a name, 1 to 128 characters of `A-Z a-z 0-9 _ - .`, and what
   * `Endpoint.make` takes, with `visible`, `scopes`, `timeout` in milliseconds, `once`, `strict`, `task` beside it
   * @param handler gets the decoded input and the call, and returns an Effect or a promise of the declared output
   *
   * @example
   * ```ts
   * import { Endpoint, Mcp } from "@treadle/server"
   * import * as Effect from "effect/Effect"
   * import * as Schema from "effect/Schema"
   *
   * const double = Endpoint.make("double", { description: "Twice a number", input: { n: Schema.Int }, output: Schema.Int })
   * const mcp = Mcp.make({ name: "sums", version: "1.0.0" })
   *   .tool(double, ({ n }) => Effect.succeed(2 * n))
   *   .tool(
   *     "half",
   *     { description: "Half a number", input: { n: Schema.Int }, output: Schema.Int },
   *     async ({ n }, { fail }) => (n % 2 === 0 ? n / 2 : fail(`${n} is odd.`))
   *   )
   * Mcp.check(mcp) // => []
   * ```
   */
  readonly tool: AddTool<R, Ctx>
  /** Adds a tool made of a contract and its function, for some callers only or with a time limit. */
  toolWith<X extends AnyEndpoint, R2 = never>(
    endpoint: X,
    options: ToolOptions<Ctx>,
    handler: Handler<X, Ctx, R2>
  ): Mcp<R | Exclude<R2, Met>, Ctx>
  /**
   * Adds an operation that is no tool: `tools/list` does not show it, and `tools/call` does not know it. It has all that a
   * tool has, and its name may be that of no tool. `catalog` lets models find it.
   *
   * @param endpoint what `Endpoint.make` gave
   * @param handler gets the decoded input and the call, and returns an Effect or a promise of the declared output
   * @param options `visible`, `scopes`, `timeout` in milliseconds, `once`, `task`
   *
   * @example
   * ```ts
   * import { Endpoint, Mcp } from "@treadle/server"
   * import * as Schema from "effect/Schema"
   *
   * const half = Endpoint.make("half", { description: "Half a number", input: { n: Schema.Int }, output: Schema.Finite })
   * const mcp = Mcp.make({ name: "sums", version: "1.0.0" }).operation(half, async ({ n }) => n / 2, { timeout: 1_000 })
   * Mcp.check(mcp) // => []
   * ```
   */
  readonly operation: AddOperation<R, Ctx>
  /**
   * Adds two tools, after all others, for the operations that are no tools: `search_operations` finds them, and `invoke`
   * runs one by its name, with the same result as if it were a tool. Operations of added servers are among them.
   *
   * @param options `allow`: the operations that are run beside those that say `hints: { readOnly: true }`; none by default
   *
   * @example
   * ```ts
   * import { Mcp } from "@treadle/server"
   *
   * const mcp = Mcp.make({ name: "sums", version: "1.0.0" })
   *   .operation("clear", { description: "Forgets all sums" }, async () => "Forgotten")
   *   .catalog({ allow: ["clear"] })
   * Mcp.check(mcp) // => []
   * ```
   */
  catalog(options?: CatalogOptions): Mcp<R, Ctx>
  /**
   * Adds a resource; `read` gives its text, its bytes, or several items.
   *
   * @param refuse asked when a client wants to hear of changes: gives nothing where it may, or the reason why not. A native
   * client is not told the reason: the resource is left out of what is acknowledged
   */
  resource<R2 = never, R3 = never>(
    definition: ResourceDefinition<Ctx>,
    read: (call: Call<Ctx, never>) => EffectOrPromise<ReadBody, ResourceUnavailable, R2>,
    refuse?: (call: Call<Ctx, never>) => EffectOrPromise<string | undefined, never, R3>
  ): Mcp<R | Exclude<R2 | R3, Met>, Ctx>
  /**
   * Adds a template of resources; its variables are decoded before `read` runs. The first template that fits is read.
   *
   * @param refuse asked when a client wants to hear of changes of one of them, as of a resource
   */
  template<const T extends string, V extends TextFields = {}, C = {}, R2 = never, R3 = never>(
    definition: TemplateDefinition<T, V, C, Ctx>,
    read: (variables: Variables<T, V>, call: Call<Ctx, never>) => EffectOrPromise<ReadBody, ResourceUnavailable, R2>,
    refuse?: (variables: Variables<T, V>, call: Call<Ctx, never>) => EffectOrPromise<string | undefined, never, R3>
  ): Mcp<R | Exclude<R2 | R3 | CompleterServices<C>, Met>, Ctx>
  /**
   * Adds a prompt; its arguments travel as text and are decoded before `get` runs.
   *
   * @param definition `description`, and optionally `arguments` (each encoded as a string), `complete`, `title`, `icons`,
   * `meta`, `visible`, `scopes`, `timeout` in milliseconds
   * @param get gets the decoded arguments and the call, and returns an Effect or a promise of a text or of messages
   *
   * @example
   * ```ts
   * import { Mcp, Prompt } from "@treadle/server"
   * import * as Schema from "effect/Schema"
   *
   * const mcp = Mcp.make({ name: "evening", version: "1.0.0" }).prompt(
   *   "plan",
   *   { description: "Plans an evening", arguments: { city: Schema.String } },
   *   async ({ city }) => Prompt.user(`Plan an evening in ${city}.`)
   * )
   * Mcp.check(mcp) // => []
   * ```
   */
  prompt<A extends PromptArguments = {}, C = {}, R2 = never>(
    name: string,
    definition: PromptDefinition<A, keyof Input<A> & string, C, Ctx>,
    get: (args: Input<A>, call: Call<Ctx, never>) => EffectOrPromise<PromptBody, never, R2>
  ): Mcp<R | Exclude<R2 | CompleterServices<C>, Met>, Ctx>
  /** Adds all that another server has. Its name, version, principal and cache hints stay behind. */
  add<R2, C2>(
    other: Mcp<R2, C2> & ([Ctx] extends [C2] ? unknown : "its handlers need more context than this server has")
  ): Mcp<R | R2, Ctx>
  /** Gives a layer to all that was added so far. It is kept as data and built when the server is served. */
  provide<A, R2>(layer: Layer.Layer<A, never, R2>): Mcp<Exclude<R, A> | R2, Ctx>
  /**
   * Declares an extension of the protocol, in the answer of `server/discover`.
   *
   * @param id a prefix and a name, as `com.example/thing`
   * @param settings `{}` when there is nothing to say
   */
  extension(id: string, settings?: JsonObject): Mcp<R, Ctx>
  /** The same value once more, or every reason why it cannot be served. */
  build(): Result.Result<Mcp<R, Ctx>, McpBuildErrors>
  /**
   * Answers one native message without a transport: the answer, or nothing for a notification.
   *
   * Layers are built for this message alone. Fails with `McpBuildErrors`.
   */
  handle(message: Message, ...context: With<Ctx>): Effect.Effect<Message | undefined, McpBuildErrors, R>
}

/** The context argument of a door; it may be left out where nothing is in it. */
export type With<Ctx> = {} extends Ctx ? [context?: Ctx] : [context: Ctx]

const serve = (definition: ServedDefinition, settings: ServedParts = {}) =>
  Effect.suspend(() => {
    const errors = [...buildErrors(definition.entries, definition.info), ...settingErrors(settings)]
    return errors.length === 0
      ? makeServed(definition, settings)
      : Effect.fail(new McpBuildErrors({ server: definition.info.implementation.name, errors }))
  })

/** What is said of an operation: its contract, and what only this server knows of. */
const split = (said: unknown): { readonly contract: Description; readonly settings: ToolSettings } => {
  const { visible, scopes, timeout, once, strict, task, ...contract } = (said ?? {}) as Description & ToolSettings
  return { contract, settings: { visible, scopes, timeout, once, strict, task } }
}

class McpValue {
  readonly definition: ServedDefinition

  constructor(definition: ServedDefinition) {
    this.definition = definition
  }

  get "~treadle/direct"() {
    return (context: unknown) => Effect.map(serve(this.definition), (served) => directPeer(served, context))
  }

  tool(first: string | AnyEndpoint, second: unknown, third?: unknown): McpValue {
    const place = placeBelow(this.tool)
    if (typeof first !== "string") return this.#operation(true, place, first, second, {})
    const { contract, settings } = split(second)
    return this.#operation(true, place, endpointOf(first, contract), third, settings)
  }

  toolWith(endpoint: AnyEndpoint, options: ToolSettings, handler: AnyHandler): McpValue {
    return this.#operation(true, placeBelow(this.toolWith), endpoint, handler, options ?? {})
  }

  operation(first: string | AnyEndpoint, second: unknown, third?: unknown): McpValue {
    const place = placeBelow(this.operation)
    if (typeof first !== "string") return this.#operation(false, place, first, second, third ?? {})
    const { contract, settings } = split(second)
    return this.#operation(false, place, endpointOf(first, contract), third, settings)
  }

  catalog(options: CatalogOptions = {}): McpValue {
    return this.#with({ catalogs: [{ options, place: placeBelow(this.catalog) }] })
  }

  resource(definition: ResourceDefinition<never>, read: AnyReader, refuse?: AnyReader): McpValue {
    const place = placeBelow(this.resource)
    return this.#with({ resources: [{ definition: definition ?? {}, read, refuse, place, layers: [] }] })
  }

  template(definition: AnyTemplateDefinition, read: AnyTemplateReader, refuse?: AnyTemplateReader): McpValue {
    const place = placeBelow(this.template)
    return this.#with({ templates: [{ definition: definition ?? {}, read, refuse, place, layers: [] }] })
  }

  prompt(name: string, definition: AnyPromptDefinition, handler: AnyHandler): McpValue {
    const place = placeBelow(this.prompt)
    return this.#with({ prompts: [{ name, definition: definition ?? {}, handler, place, layers: [] }] })
  }

  add(other: AnyMcp): McpValue {
    return this.#with(other.definition.entries)
  }

  provide(layer: AnyLayer): McpValue {
    return new McpValue({ ...this.definition, entries: layered(this.definition.entries, layer) })
  }

  extension(id: string, settings: JsonObject = {}): McpValue {
    return this.#with({ extensions: [{ id, settings, place: placeBelow(this.extension) }] })
  }

  build(): Result.Result<McpValue, McpBuildErrors> {
    const errors = buildErrors(this.definition.entries, this.definition.info)
    return errors.length === 0
      ? Result.succeed(this)
      : Result.fail(new McpBuildErrors({ server: this.definition.info.implementation.name, errors }))
  }

  handle(message: Message, context: unknown = {}) {
    // Nothing outlives the message, so nothing could ask for the result of a task.
    const settings = { limits: { tasks: 0 } }
    return Effect.scoped(
      Effect.flatMap(serve(this.definition, settings), (served) => handleMessage(served, message, context))
    )
  }

  #operation(
    promoted: boolean,
    place: Place,
    endpoint: AnyEndpoint,
    handler: unknown,
    settings: ToolSettings
  ): McpValue {
    const entry = { endpoint, handler: handler as AnyHandler, settings, promoted, place, layers: [] }
    return this.#with({ operations: [entry] })
  }

  #with(more: Partial<Entries>): McpValue {
    return new McpValue({ ...this.definition, entries: joined(this.definition.entries, more) })
  }
}

/**
 * Makes a server that offers nothing yet.
 *
 * @param info `name` and `version`, and optionally `title`, `websiteUrl`, `icons`, `instructions`, `principal`, `cache`,
 * `live`, `logging`
 *
 * @example
 * ```ts
 * import { Mcp } from "@treadle/server"
 *
 * const mcp = Mcp.make({ name: "hello", version: "1.0.0" })
 *   .tool("greet", { description: "Says hello" }, async () => "Hello!")
 * Mcp.check(mcp) // => []
 * ```
 */
const make = <Ctx = {}>(info: McpInfo<Ctx>): Mcp<never, Ctx> => {
  const { cache = {}, instructions, live = {}, logging = true, principal, ...implementation } = info
  const value = new McpValue({
    info: { implementation, instructions, cache, live, logging, place: placeBelow(make) },
    entries: noEntries,
    principal: principal as ServedDefinition["principal"]
  })
  return value as unknown as Mcp<never, Ctx>
}

/**
 * Every reason why a server cannot be served, at once; empty when it can. Doors run the same check, and check their
 * settings beside it. Printed, and as text, each reads as its sentence.
 */
const check = (mcp: AnyMcp): ReadonlyArray<McpBuildError> =>
  readable(buildErrors(mcp.definition.entries, mcp.definition.info))

/**
 * Starts serving in the current Scope: what every door is made of.
 *
 * Fails with `McpBuildErrors`. What the handlers need is taken from the environment, once.
 */
const served = <R, Ctx>(
  mcp: Mcp<R, Ctx>,
  settings?: ServedSettings
): Effect.Effect<Served<R, Ctx>, McpBuildErrors, R | Scope.Scope> =>
  serve(mcp.definition, settings) as Effect.Effect<Served<R, Ctx>, McpBuildErrors, R | Scope.Scope>

/** Makes servers, checks them, and starts to serve them. */
export const Mcp = { make, check, served }

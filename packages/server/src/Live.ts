/**
 * Changing what is served while it is served. What is added is a server value, made with the same builder as the server
 * itself. Plain doors have a handle that gives promises, Effect code has a service that gives effects.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { DirectServer } from "@treadle/protocol/framing"
import type { Change } from "./Change.ts"
import type { McpBuildErrors } from "./McpBuildError.ts"

/**
 * What of a server may change while it is served, as clients are told when they connect.
 *
 * For a list, `true` says that it is served and may change even while it is empty, and `false` that it stays as it was
 * at the start. By default a list is served, and may change, where it has an entry at the start.
 */
export interface LiveSettings {
  /** Tools, and the operations beside them. */
  readonly tools?: boolean
  readonly prompts?: boolean
  /** Resources and their templates. */
  readonly resources?: boolean
  /** Whether clients may ask to hear of single resources: `true` by default, where there are resources. */
  readonly subscriptions?: boolean
}

/** A server value whose entries are added to a served one: it needs services `R` and a context `Ctx`, or less. */
export interface Part<out R, in Ctx> extends DirectServer<Ctx, McpBuildErrors, R> {
  readonly definition: { readonly entries: object }
}

/** What is taken away. What is not there is passed over. */
export interface Removal {
  /** Their names. */
  readonly tools?: ReadonlyArray<string>
  /** The names of operations that are no tools. */
  readonly operations?: ReadonlyArray<string>
  /** Their names. */
  readonly prompts?: ReadonlyArray<string>
  /** Their URIs. */
  readonly resources?: ReadonlyArray<string>
  /** The templates as they were written. */
  readonly templates?: ReadonlyArray<string>
}

/** What was there and was taken away. */
export type Removed = Required<Removal>

/**
 * The handle of a served thing, in effects. Changes happen one after another, in the order in which they were asked for.
 *
 * A change fails with `McpBuildErrors`, which has every reason with its place; then nothing has changed. After the server
 * was stopped, it dies.
 */
export interface LiveService<in R, out Ctx> {
  /**
   * Adds what a part has, after what there is. What has a name that is served already is an error.
   *
   * Layers that were provided to the part are built first, and are released once nothing that they were provided to is
   * offered and no call runs with them. The part's own name, version and settings stay behind.
   */
  readonly add: (part: Part<R, Ctx>) => Effect.Effect<void, McpBuildErrors>
  /**
   * Puts what a part has in the place of what has the same names, and adds the rest. Calls that run finish with what they
   * began with.
   */
  readonly replace: (part: Part<R, Ctx>) => Effect.Effect<void, McpBuildErrors>
  /** Takes entries away. Calls that run finish. @returns what was there */
  readonly remove: (what: Removal) => Effect.Effect<Removed, McpBuildErrors>
  /**
   * Tells those who listen that something changed which the handle does not know of: what a resource reads as, or what
   * `visible` of an entry says. However often it happens within 50 milliseconds, each listener hears it once.
   */
  readonly changed: (change: Change) => Effect.Effect<void>
}

/**
 * The handle of a plain door: as `LiveService`, in promises, which reject with `McpBuildErrors`. A change before the
 * first request starts the server.
 */
export interface LiveHandle<out Ctx> {
  /** Adds what a part has, after what there is. What has a name that is served already is an error. */
  add(part: Part<never, Ctx>): Promise<void>
  /** Puts what a part has in the place of what has the same names, and adds the rest. */
  replace(part: Part<never, Ctx>): Promise<void>
  /** Takes entries away. Calls that run finish. @returns what was there */
  remove(what: Removal): Promise<Removed>
  /** Tells those who listen that a list or a resource changed in a way that the handle does not know of. */
  changed(change: Change): void
}

/**
 * The handle of the server that a handler belongs to, as a service. The builder provides it to handlers, and
 * `McpRouter.layer` gives it to the rest of an application. It takes parts that need no context.
 *
 * @example
 * ```ts
 * import { Live, Mcp, ToolFailed } from "@treadle/server"
 * import * as Effect from "effect/Effect"
 *
 * const extra = Mcp.make({ name: "extra", version: "1.0.0" }).tool("extra", { description: "One more" }, async () => "!")
 * const mcp = Mcp.make({ name: "growing", version: "1.0.0" }).tool("grow", { description: "Adds a tool" }, () =>
 *   Effect.mapError(Effect.as(Live.replace(extra), "grown"), ({ message }) => new ToolFailed(message))
 * )
 * Mcp.check(mcp) // => []
 * ```
 */
export class Live extends Context.Service<Live, LiveService<never, {}>>()("@treadle/server/Live") {
  /** Adds what a part has. */
  static add(part: Part<never, {}>): Effect.Effect<void, McpBuildErrors, Live> {
    return Effect.flatMap(Live, (live) => live.add(part))
  }

  /** Puts what a part has in the place of what has the same names, and adds the rest. */
  static replace(part: Part<never, {}>): Effect.Effect<void, McpBuildErrors, Live> {
    return Effect.flatMap(Live, (live) => live.replace(part))
  }

  /** Takes entries away. @returns what was there */
  static remove(what: Removal): Effect.Effect<Removed, McpBuildErrors, Live> {
    return Effect.flatMap(Live, (live) => live.remove(what))
  }

  /** Tells those who listen that a list or a resource changed in a way that the handle does not know of. */
  static changed(change: Change): Effect.Effect<void, never, Live> {
    return Effect.flatMap(Live, (live) => live.changed(change))
  }
}

/**
 * The call that a handler serves: who calls, and what may be sent while it runs. It names no transport and no era.
 *
 * Async handlers get it as their second argument, because after an `await` nothing ambient is left. Effect handlers may
 * use that, or the service `CurrentCall`, which the builder provides.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Json } from "@treadle/protocol/json"
import type { LogLevel, Meta } from "@treadle/protocol/schema"
import type { Ask } from "./Ask.ts"
import type { AskFailed } from "./AskFailed.ts"
import type { Principal } from "./Principal.ts"

/** A value as it comes back from JSON, member by member; `never` where it comes back as something else. */
type JsonForm<A> = A extends Json
  ? A
  : A extends ReadonlyArray<unknown>
    ? { readonly [K in keyof A]: JsonForm<A[K]> }
    : A extends (...args: ReadonlyArray<never>) => unknown
      ? never
      : A extends object
        ? {
            readonly [K in keyof A]: K extends symbol
              ? A[K]
              : JsonForm<Exclude<A[K], undefined>> | Extract<A[K], undefined>
          }
        : never

/** What a step may give: JSON, where a member may be missing, or nothing. Anything else does not compile, and the error says so. */
export type GivesJson<A> = [A] extends [JsonForm<Exclude<A, undefined | void>> | undefined | void]
  ? unknown
  : "a step gives JSON, to be remembered: turn dates into text, maps into arrays, classes into their fields"

/**
 * The second argument of a handler. Its members may be taken apart: `async (input, { signal, fail }) => …`.
 */
export interface Call<out Ctx, in out E> {
  /** What the door was given for this request. */
  readonly context: Ctx
  readonly principal: Principal | undefined
  /** Aborted when the call is no longer wanted. */
  readonly signal: AbortSignal
  /** `_meta` of the request. */
  readonly meta: Meta
  /**
   * Tells how far the call is. Sent only where the client asked for it and only when it grows; dropped where the client
   * reads too slowly. The message of a task is what its status says in words.
   */
  progress(done: number, total?: number, message?: string): void
  /**
   * Sends a log message to the client, where it asked for this level.
   *
   * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. Log on the server instead.
   */
  log(level: LogLevel, data: unknown, logger?: string): void
  /**
   * Closes the connection of a long call; its client comes back for the rest by itself. That spares a connection that
   * would be open for long. Only in the compat era over HTTP, at 2025-11-25 or later; anywhere else nothing happens.
   *
   * @param retry after how many milliseconds the client should come back
   */
  pause(retry: number): void
  /**
   * Asks the client, in handlers of tools, prompts and resource reads. Rejects with `AskFailed`.
   *
   * Natively the call may end here and run again from its start once there are answers: what was answered is remembered
   * by its key, what must not happen twice belongs in a `step`, and `finally` does not run for the round that ends.
   *
   * @param key names the question within the call, the same in every run; a second question with it is a defect
   */
  ask<A>(key: string, ask: Ask<A>): Promise<A>
  /**
   * Tells the client that the page it was sent to by `Ask.url` is done with, so that it need not wait for the person
   * (ELIC-19). Only sessions are told; natively, and where nothing of this key was asked, it does nothing.
   *
   * @param key of the question
   */
  complete(key: string): void
  /**
   * Runs something once, however often the call runs again because it asked. A step that fails is run again.
   *
   * @param key names the step within the call, the same in every run; a second step with it is a defect, except after
   * one that failed
   * @param run gives JSON: no dates, maps or functions, because in later runs its value comes back from JSON
   * @returns what it gave
   */
  step<A>(key: string, run: (() => A | PromiseLike<A>) & GivesJson<A>): Promise<A>
  /**
   * Begins the task of this call, where its tool says `task: { begins: "later" }`: the client is answered, and the call
   * goes on without it. What is asked from here on is asked through the task, and the handler is not run again. Nothing
   * happens where the client knows no tasks, where there is no room for one more, and where the task has begun already.
   */
  startTask(): void
  /**
   * Ends the call with a declared error, or with text for the model. TypeScript narrows only after `return fail(…)`,
   * `throw fail(…)` or `?? fail(…)`.
   */
  fail(error: E | string): never
}

/** Headers by their names, which are in lower case. */
export type HeaderTable = Readonly<Record<string, string>>

/** What the service gives to Effect code; the functions of `CurrentCall` read it. */
export interface CurrentCallService {
  readonly call: Call<unknown, never>
  /**
   * The headers of the request that brought the call; nothing where HTTP did not bring it. What is true of a caller
   * belongs into its context or its principal: this is for what hands a request on.
   */
  readonly sentHeaders: () => HeaderTable
  /** Sends progress; waits while the client reads slowly. */
  readonly sendProgress: (done: number, total?: number, message?: string) => Effect.Effect<void>
  readonly sendLog: (level: LogLevel, data: unknown, logger?: string) => Effect.Effect<void>
  readonly askFor: <A>(key: string, ask: Ask<A>) => Effect.Effect<A, AskFailed>
  readonly sendComplete: (key: string) => Effect.Effect<void>
  readonly stepOf: <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly send: (method: string, params: unknown) => Effect.Effect<void>
}

/**
 * The current call as a service.
 *
 * @example
 * ```ts
 * import { CurrentCall } from "@treadle/server"
 * import * as Effect from "effect/Effect"
 *
 * const twoSteps = Effect.andThen(CurrentCall.progress(1, 2), Effect.succeed("done"))
 * Effect.isEffect(twoSteps) // => true
 * ```
 */
export class CurrentCall extends Context.Service<CurrentCall, CurrentCallService>()("@treadle/server/CurrentCall") {
  /** Tells how far the call is; waits while the client reads slowly. */
  static progress(done: number, total?: number, message?: string): Effect.Effect<void, never, CurrentCall> {
    return Effect.flatMap(CurrentCall, (current) => current.sendProgress(done, total, message))
  }

  /**
   * Sends a log message to the client, where it asked for this level.
   *
   * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. Log on the server instead.
   */
  static log(level: LogLevel, data: unknown, logger?: string): Effect.Effect<void, never, CurrentCall> {
    return Effect.flatMap(CurrentCall, (current) => current.sendLog(level, data, logger))
  }

  /**
   * Closes the connection of a long call; its client comes back for the rest by itself. Only in the compat era over
   * HTTP, at 2025-11-25 or later; anywhere else nothing happens.
   *
   * @param retry after how many milliseconds the client should come back
   */
  static pause(retry: number): Effect.Effect<void, never, CurrentCall> {
    return Effect.map(CurrentCall, (current) => current.call.pause(retry))
  }

  /**
   * Sends a notification of an extension's own. What does not fit the schema is a defect of the handler.
   *
   * @param method outside `notifications/` of the specification, such as `notifications/com.example/tick`
   */
  static publish<A>(
    method: string,
    schema: Schema.Codec<A, unknown>,
    params: A
  ): Effect.Effect<void, never, CurrentCall> {
    return Effect.flatMap(CurrentCall, (current) =>
      Effect.flatMap(Effect.orDie(Schema.encodeEffect(Schema.toCodecJson(schema))(params)), (json) =>
        current.send(method, json)
      )
    )
  }

  /**
   * Asks the client, in handlers of tools, prompts and resource reads.
   *
   * Natively the call may be interrupted here, its finalizers run, and run again from its start once there are answers:
   * what was answered is remembered by its key, and what must not happen twice belongs in a `step`.
   *
   * @param key names the question within the call, the same in every run; a second question with it is a defect
   */
  static ask<A>(key: string, ask: Ask<A>): Effect.Effect<A, AskFailed, CurrentCall> {
    return Effect.flatMap(CurrentCall, (current) => current.askFor(key, ask))
  }

  /**
   * Tells the client that the page it was sent to by `Ask.url` is done with, so that it need not wait for the person
   * (ELIC-19). Only sessions are told; natively, and where nothing of this key was asked, it does nothing.
   *
   * @param key of the question
   */
  static complete(key: string): Effect.Effect<void, never, CurrentCall> {
    return Effect.flatMap(CurrentCall, (current) => current.sendComplete(key))
  }

  /**
   * Runs an effect once, however often the call runs again because it asked. A step that fails is run again.
   *
   * @param key names the step within the call, the same in every run; a second step with it is a defect, except after
   * one that failed
   * @param effect gives JSON: no dates, maps or functions, because in later runs its value comes back from JSON
   * @returns what it gave
   */
  static step<A, E, R>(
    key: string,
    effect: Effect.Effect<A, E, R> & GivesJson<A>
  ): Effect.Effect<A, E, R | CurrentCall> {
    return Effect.flatMap(CurrentCall, (current) => current.stepOf(key, effect))
  }

  /**
   * Begins the task of this call, where its tool says `task: { begins: "later" }`: the client is answered, and the call
   * goes on without it. What is asked from here on is asked through the task, and the handler is not run again. Nothing
   * happens where the client knows no tasks, where there is no room for one more, and where the task has begun already.
   */
  static readonly startTask: Effect.Effect<void, never, CurrentCall> = Effect.map(CurrentCall, (current) =>
    current.call.startTask()
  )

  /** The verified caller, where there is one. */
  static readonly principal: Effect.Effect<Principal | undefined, never, CurrentCall> = Effect.map(
    CurrentCall,
    (current) => current.call.principal
  )

  /** `_meta` of the request. */
  static readonly meta: Effect.Effect<Meta, never, CurrentCall> = Effect.map(
    CurrentCall,
    (current) => current.call.meta
  )
}

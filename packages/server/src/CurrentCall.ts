/**
 * The call that a handler serves: who calls, and what may be sent while it runs. It names no transport and no era.
 *
 * Async handlers get it as their second argument, because after an `await` nothing ambient is left. Effect handlers may
 * use that, or the service `CurrentCall`, which the builder provides.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { LogLevel, Meta } from "@treadle/protocol/schema"
import type { Principal } from "./Principal.ts"

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
   * reads too slowly.
   */
  progress(done: number, total?: number, message?: string): void
  /** Sends a log message to the client, where it asked for this level. */
  log(level: LogLevel, data: unknown, logger?: string): void
  /**
   * Ends the call with a declared error, or with text for the model. TypeScript narrows only after `return fail(…)`,
   * `throw fail(…)` or `?? fail(…)`.
   */
  fail(error: E | string): never
}

/** What the service gives to Effect code; the functions of `CurrentCall` read it. */
export interface CurrentCallService {
  readonly call: Call<unknown, never>
  /** Sends progress; waits while the client reads slowly. */
  readonly sendProgress: (done: number, total?: number, message?: string) => Effect.Effect<void>
  readonly sendLog: (level: LogLevel, data: unknown, logger?: string) => Effect.Effect<void>
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

  /** Sends a log message to the client, where it asked for this level. */
  static log(level: LogLevel, data: unknown, logger?: string): Effect.Effect<void, never, CurrentCall> {
    return Effect.flatMap(CurrentCall, (current) => current.sendLog(level, data, logger))
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

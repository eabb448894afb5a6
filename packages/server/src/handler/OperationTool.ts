/**
 * An endpoint with its function, as a tool: arguments are decoded, the function runs, its value or its declared error is
 * encoded. The function may return an Effect, a promise or a plain value.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { hintAnnotations, isReply, type AnyEndpoint } from "@treadle/protocol/endpoint"
import { isRecord, type Misfit } from "@treadle/protocol/json"
import type { Tool } from "@treadle/protocol/schema"
import type { CurrentCall } from "../CurrentCall.ts"
import { argumentsReply, contentReply, errorReply, failureReply, printed, valueReply } from "../reply/ToolReply.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { AskFailed } from "../AskFailed.ts"
import { ToolFailed, UndeclaredError } from "../ToolError.ts"
import { invoke, type AnyHandler } from "./Invocation.ts"
import type { ToolHandler } from "./ToolHandler.ts"

export interface ToolSettings {
  readonly visible?: ((context: never) => boolean) | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly timeout?: number | undefined
  readonly once?: boolean | undefined
}

const listingOf = (endpoint: AnyEndpoint): Tool => {
  const { about, shape } = endpoint
  const annotations = hintAnnotations(about.hints)
  return {
    name: endpoint.name,
    ...(about.title === undefined ? {} : { title: about.title }),
    description: about.description,
    ...(about.icons === undefined ? {} : { icons: about.icons }),
    inputSchema: shape.inputSchema as Tool["inputSchema"],
    ...(shape.outputSchema === undefined ? {} : { outputSchema: shape.outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(about.meta === undefined ? {} : { _meta: about.meta })
  }
}

const messageOf = (error: unknown): string =>
  isRecord(error) && typeof error["message"] === "string" ? error["message"] : ""

/** Sends the values and errors of one endpoint on their way. */
const replies = (endpoint: AnyEndpoint) => {
  const { output, errors } = endpoint.shape

  const undeclared = ({ problems }: Misfit): Effect.Effect<never> =>
    Effect.die(
      new Error(`${endpoint.name} returned a value that is not of its declared output: ${problems.join("; ")}`)
    )

  const value = (returned: unknown): Effect.Effect<NeutralResult> => {
    const reply = isReply(returned) ? returned : undefined
    const bare = reply === undefined ? returned : reply.value
    const content = reply?.content ?? []
    if (output === undefined) {
      const text = bare === undefined || bare === null ? "" : typeof bare === "string" ? bare : printed(bare)
      return Effect.succeed(contentReply(text, content, reply?.meta))
    }
    return Effect.mapEager(Effect.catchEager(output.encode(bare), undeclared), (json) =>
      valueReply(json, output.wrapped, content, reply?.meta)
    )
  }

  const failure = (cause: Cause.Cause<unknown>): Effect.Effect<NeutralResult> => {
    const found = Cause.findError(cause)
    if (found._tag === "Failure") return Effect.failCause(found.failure)
    const error = found.success
    if (error instanceof ToolFailed) return Effect.succeed(failureReply(error.message))
    if (error instanceof AskFailed) return Effect.die(error)
    if (errors === undefined) return Effect.die(new UndeclaredError(error))
    return Effect.matchEffect(errors.encode(error), {
      onSuccess: (json) => Effect.succeed(errorReply(json, messageOf(error))),
      onFailure: () => Effect.die(new UndeclaredError(error))
    })
  }

  return { onSuccess: value, onFailure: failure }
}

/** Names from outside, quoted and cut, so that they cannot write a log of their own. */
const shown = (names: ReadonlyArray<string>): string =>
  names
    .slice(0, 8)
    .map((name) => JSON.stringify(name.slice(0, 64)))
    .join(", ") + (names.length > 8 ? ` and ${names.length - 8} more` : "")

const ignored = (endpoint: AnyEndpoint, args: unknown): Effect.Effect<void> | undefined => {
  const names = endpoint.shape.argumentNames
  if (names === undefined || !isRecord(args)) return undefined
  const strange = Object.keys(args).filter((name) => !names.has(name))
  return strange.length === 0
    ? undefined
    : Effect.logDebug(`${endpoint.name} ignored arguments it does not have: ${shown(strange)}`)
}

/**
 * The tool of an operation.
 *
 * @param endpoint one without faults; the builder has checked it
 */
export const operationTool = (endpoint: AnyEndpoint, handler: AnyHandler, settings: ToolSettings): ToolHandler => {
  const { decode } = endpoint.shape.input
  const outcome = replies(endpoint)
  const perform: ToolHandler["perform"] = (input, call) => invoke(handler, input, call)
  const unfit = (cause: Cause.Cause<Misfit>): Effect.Effect<NeutralResult> => {
    const found = Cause.findError(cause)
    return found._tag === "Failure"
      ? Effect.failCause(found.failure)
      : Effect.succeed(argumentsReply(endpoint.name, found.success.problems))
  }
  return {
    name: endpoint.name,
    endpoint,
    listing: JSON.stringify(listingOf(endpoint)),
    headers: endpoint.shape.headers,
    visible: settings.visible,
    scopes: settings.scopes,
    timeout: settings.timeout,
    once: settings.once,
    perform,
    run: (args, call): Effect.Effect<NeutralResult, never, CurrentCall> => {
      // In the fiber of the call; whatever is there at once is taken without a step of it.
      const served = Effect.suspend(() =>
        Effect.matchCauseEffectEager(decode(args), {
          onSuccess: (input) => Effect.matchCauseEffectEager(perform(input, call), outcome),
          onFailure: unfit
        })
      )
      const note = ignored(endpoint, args)
      return note === undefined ? served : Effect.andThen(note, served)
    }
  }
}

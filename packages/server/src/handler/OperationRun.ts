/**
 * One run of an operation: arguments are decoded, the author's function runs, its value or its declared error is
 * encoded. What it came to is told in the words of whoever called: a model reads the result of a tool, a client of HTTP
 * a response.
 */
import * as Effect from "effect/Effect"
import { isReply, type AnyEndpoint } from "@treadle/protocol/endpoint"
import { isRecord, type Json, type Misfit } from "@treadle/protocol/json"
import { AskFailed } from "../AskFailed.ts"
import type { Call, CurrentCall } from "../CurrentCall.ts"
import { printed, type Beside } from "../reply/ToolReply.ts"
import { ToolFailed, UndeclaredError } from "../ToolError.ts"
import { onFailureOf } from "./Invocation.ts"
import type { ToolHandler } from "./ToolHandler.ts"

/** The ways of telling. What it throws is a defect of the handler. */
export interface Telling<A, E> {
  /** A value of the declared output, as JSON; `wrapped` where that is an object around it. */
  readonly value: (json: Json, wrapped: boolean, beside: Beside) => A
  /** What an operation without a declared output gave; empty where that was nothing. */
  readonly text: (text: string, beside: Beside) => A
  /** A declared error, as JSON. */
  readonly declared: (json: Json, message: string) => A
  /** A failure in words. */
  readonly failed: (text: string) => A
  /** Arguments that do not fit. */
  readonly unfit: (problems: ReadonlyArray<string>) => Effect.Effect<A, E>
}

const alone: Beside = {}

const messageOf = (error: unknown): string =>
  isRecord(error) && typeof error["message"] === "string" ? error["message"] : ""

/** What becomes of the calls of one endpoint; what cannot be told of is a defect. */
const outcomes = <A, E>(endpoint: AnyEndpoint, told: Telling<A, E>) => {
  const { errors, output } = endpoint.shape

  const undeclared = ({ problems }: Misfit): Effect.Effect<never> =>
    Effect.die(
      new Error(`${endpoint.name} returned a value that is not of its declared output: ${problems.join("; ")}`)
    )

  const value = (returned: unknown): Effect.Effect<A> => {
    const reply = isReply(returned) ? returned : undefined
    const bare = reply === undefined ? returned : reply.value
    const beside = reply ?? alone
    if (output === undefined) {
      const text = bare === undefined || bare === null ? "" : typeof bare === "string" ? bare : printed(bare)
      return Effect.succeed(told.text(text, beside))
    }
    return Effect.mapEager(Effect.catchEager(output.encode(bare), undeclared), (json) =>
      told.value(json, output.wrapped, beside)
    )
  }

  const failure = (error: unknown): Effect.Effect<A> => {
    if (error instanceof ToolFailed) return Effect.succeed(told.failed(error.message))
    if (error instanceof AskFailed) return Effect.die(error)
    if (errors === undefined) return Effect.die(new UndeclaredError(error))
    return Effect.matchEffect(errors.encode(error), {
      onSuccess: (json) => Effect.succeed(told.declared(json, messageOf(error))),
      onFailure: () => Effect.die(new UndeclaredError(error))
    })
  }

  return {
    outcome: { onSuccess: value, onFailure: onFailureOf(failure) },
    unfit: onFailureOf(({ problems }: Misfit) => told.unfit(problems))
  }
}

/** Names from outside, quoted and cut, so that they cannot write a log of their own. */
const shown = (names: ReadonlyArray<string>): string =>
  names
    .slice(0, 8)
    .map((name) => JSON.stringify(name.slice(0, 64)))
    .join(", ") + (names.length > 8 ? ` and ${names.length - 8} more` : "")

/** The names of arguments that an endpoint does not have. */
const strangers = (endpoint: AnyEndpoint, args: unknown): ReadonlyArray<string> => {
  const names = endpoint.shape.argumentNames
  return names === undefined || !isRecord(args) ? [] : Object.keys(args).filter((name) => !names.has(name))
}

/**
 * Runs one call. Whatever the author's code throws or dies of is a defect of the effect; it fails as it is told of
 * arguments that do not fit.
 */
export type OperationRun<A, E> = (args: unknown, call: Call<unknown, never>) => Effect.Effect<A, E, CurrentCall>

/**
 * Makes the runs of an operation.
 *
 * @param operation one without faults; the builder has checked it
 */
export const operationRun = <A, E>(
  { endpoint, perform, strict }: Pick<ToolHandler, "endpoint" | "perform" | "strict">,
  told: Telling<A, E>
): OperationRun<A, E> => {
  const { decode } = endpoint.shape.input
  const { outcome, unfit } = outcomes(endpoint, told)
  return (args, call) => {
    const strange = strangers(endpoint, args)
    if (strict && strange.length > 0) return told.unfit([`there is no argument ${shown(strange)}`])
    // In the fiber of the call; whatever is there at once is taken without a step of it.
    const served = Effect.suspend(() =>
      Effect.matchCauseEffectEager(decode(args), {
        onSuccess: (input) => Effect.matchCauseEffectEager(perform(input, call), outcome),
        onFailure: unfit
      })
    )
    return strange.length === 0
      ? served
      : Effect.andThen(
          Effect.logDebug(`${endpoint.name} ignored arguments it does not have: ${shown(strange)}`),
          served
        )
  }
}

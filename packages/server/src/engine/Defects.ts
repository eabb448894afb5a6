/**
 * Bugs in handlers: each gets a reference, its detail goes to the log and to `onDefect` only, and the caller is told the
 * reference.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Context from "effect/Context"
import { UndeclaredError } from "../ToolError.ts"

/** Where a defect happened. */
export interface DefectPlace {
  /** The tool, the prompt, the URI that was read or what was completed; the method where it was none of them. */
  readonly tool: string
  /** What the caller was told; find it in the log. */
  readonly reference: string
}

/** Hears of a defect. What it throws or rejects with is logged, and goes no further. */
export type OnDefect = (error: unknown, place: DefectPlace) => void

/** A defect that was reported. */
export interface Reported {
  readonly reference: string
  readonly error: unknown
}

const errorName = (error: unknown): string =>
  error instanceof Error ? error.name : typeof error === "object" && error !== null ? "an object" : typeof error

/** What Effect says where a service was never given; types rule that out, and plain JavaScript has none. */
const unmet = "Service not found"

const cureOf = (error: unknown): string =>
  error instanceof Error && error.message.startsWith(unmet) ? " Give the service with mcp.provide(layer)." : ""

const sentence = (tool: string, error: unknown, undeclared: boolean, reference: string): string =>
  undeclared
    ? `${tool} failed with ${errorName(error)}, which it does not declare; the caller was told "internal error", reference ` +
      `${reference}. Declare it in errors, or call fail("…") to tell the model.`
    : `${tool} died; the caller was told "internal error", reference ${reference}.${cureOf(error)}`

/** @param name what died: a tool or a method */
export type Report = (name: string, cause: Cause.Cause<unknown>) => Reported

/**
 * Reports defects.
 *
 * @param services whose loggers and random generator are used
 */
export const makeDefects = (services: Context.Context<never>, onDefect: OnDefect | undefined): Report => {
  const nextReference = Effect.map(Random.nextIntBetween(0, 0x7fffffff), (n) => n.toString(16).padStart(8, "0"))
  const runSync = Effect.runSyncWith(services)
  const runFork = Effect.runForkWith(services)
  const misreported = (failure: unknown) => void runFork(Effect.logError("onDefect itself failed", Cause.die(failure)))

  return (tool: string, cause: Cause.Cause<unknown>): Reported => {
    const thrown = Cause.squash(cause)
    const undeclared = thrown instanceof UndeclaredError
    const error = undeclared ? thrown.error : thrown
    const reference = runSync(nextReference)
    const logged = undeclared ? Cause.die(error) : cause
    runFork(Effect.logError(sentence(tool, error, undeclared, reference), logged))
    if (onDefect !== undefined) {
      try {
        const told: unknown = onDefect(error, { tool, reference })
        if (told instanceof Promise) told.catch(misreported)
      } catch (failure) {
        misreported(failure)
      }
    }
    return { reference, error }
  }
}

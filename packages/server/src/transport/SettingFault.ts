/**
 * What is wrong with a setting, and the cure.
 */
import { isRecord, unknownNames } from "@treadle/protocol/json"
import type { McpBuildError } from "../McpBuildError.ts"

export type Faults = ReadonlyArray<McpBuildError>

/** What is wrong with a value that was given, and the cure. */
export type Check = (setting: string, value: unknown) => Faults

/** @param place of the value: `origins[0]` in `origins` */
export const fault = (place: string, why: string): Faults => [
  { _tag: "InvalidSetting", setting: place.split(/[.[]/, 1)[0] ?? place, why, place }
]

/**
 * A fault for each name that nothing reads.
 *
 * @param place of what was given; empty for all settings of a door
 */
export const unknownFaults = (place: string, given: unknown, known: ReadonlyArray<string>, what?: string): Faults =>
  isRecord(given)
    ? unknownNames(given, known, what).flatMap(({ name, why }) => fault(place === "" ? name : `${place}.${name}`, why))
    : []

/** A value in a sentence. */
export const shown = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value)
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object"
  return typeof value === "function" ? "a function" : String(value)
}

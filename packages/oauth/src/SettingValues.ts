/**
 * What the values of settings may be, as plain JavaScript gives them. A wrong one is a mistake of the program, which is told
 * when it is defined; no message shows a value, which may be a secret.
 */
import * as Redacted from "effect/Redacted"
import { unknownNames } from "@treadle/protocol/json"

const isFinite = (value: unknown): boolean => typeof value === "number" && value >= 0 && value < Infinity

export const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** A secret as it was written, be it `Redacted` or not. */
export const bare = (secret: unknown): unknown => (Redacted.isRedacted(secret) ? Redacted.value(secret) : secret)

/** @throws TypeError where no settings were given, or a part of them is none */
export const checkRecord = (what: string, value: unknown, cure: string): void => {
  if (typeof value !== "object" || value === null) throw new TypeError(`${what} must be an object, such as ${cure}`)
}

/**
 * A name that is written wrongly would leave its setting at the default.
 *
 * @param within where they are said, as `identityProvider.`
 * @throws TypeError where there is no such setting
 */
export const checkNames = (settings: object, names: ReadonlyArray<string>, within = ""): void => {
  const [unknown] = unknownNames(settings, names)
  if (unknown !== undefined) throw new TypeError(`${within}${unknown.name}: ${unknown.why}`)
}

/** A text in the place of a list would be searched for its parts. @throws TypeError where it is no list of texts */
export const checkLists = <K extends string>(
  settings: { readonly [key in K]?: unknown },
  names: ReadonlyArray<K>
): void => {
  for (const name of names) {
    const value: unknown = settings[name]
    if (value !== undefined && !(Array.isArray(value) && value.every(isText))) {
      throw new TypeError(`${name} must be an array of texts, such as ["…"]`)
    }
  }
}

/** @throws TypeError where a setting is none of its values */
export const checkValues = (
  settings: object,
  values: { readonly [name: string]: ReadonlyArray<string | boolean> }
): void => {
  const given = new Map<string, unknown>(Object.entries(settings))
  for (const [name, possible] of Object.entries(values)) {
    const value = given.get(name)
    if (value !== undefined && !possible.some((one) => one === value)) {
      throw new TypeError(`${name} must be ${possible.map((one) => JSON.stringify(one)).join(" or ")}`)
    }
  }
}

/** @throws TypeError where a setting is no function */
export const checkFunctions = <K extends string>(
  settings: { readonly [key in K]?: unknown },
  names: ReadonlyArray<K>
): void => {
  for (const name of names) {
    const value = settings[name]
    if (value !== undefined && typeof value !== "function") throw new TypeError(`${name} must be a function`)
  }
}

/** @throws TypeError where a time is no finite number of milliseconds */
export const checkTimes = <K extends string>(
  settings: { readonly [key in K]?: unknown },
  names: ReadonlyArray<K>
): void => {
  for (const name of names) {
    const value = settings[name]
    if (value !== undefined && !isFinite(value)) {
      throw new TypeError(`${name} must be a finite number of milliseconds, 0 or more`)
    }
  }
}

/**
 * What the settings of a verifier may say. Wrong ones are a mistake of the program, which is told when it is defined.
 */
import { isLoopbackHost } from "../AddressGuard.ts"
import { maxTolerance, type TokenSettings } from "./TokenRules.ts"

const isFinite = (value: unknown): boolean => typeof value === "number" && value >= 0 && value < Infinity

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** @throws TypeError where no settings were given, or a part of them is none */
export const checkRecord = (what: string, value: unknown, cure: string): void => {
  if (typeof value !== "object" || value === null) throw new TypeError(`${what} must be an object, such as ${cure}`)
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

/** @throws TypeError where the address of an authorization server cannot be asked safely (AUTH-31) */
export const checkAddress = (name: string, address: string): void => {
  if (address === undefined) throw new TypeError(`${name} is missing; write it as "https://login.example"`)
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname))
  if (url === undefined || !isSafe || url.username !== "" || url.password !== "" || url.hash !== "") {
    throw new TypeError(
      `${name} must be an https address, or an http one of this machine, without password and fragment`
    )
  }
}

/** @throws TypeError */
export const checkTokens = (settings: TokenSettings): void => {
  checkTimes(settings, ["clockTolerance", "maxAge"])
  checkLists(settings, ["audiences"])
  checkValues(settings, { boundTokens: ["refused", "accepted"], network: ["public", "loopback", "private"] })
  if (settings.scopesOf !== undefined && typeof settings.scopesOf !== "function") {
    throw new TypeError("scopesOf must be a function of the claims that returns an array of scopes")
  }
  if ((settings.clockTolerance ?? 0) > maxTolerance) {
    throw new TypeError(`clockTolerance must be at most ${maxTolerance} milliseconds`)
  }
}

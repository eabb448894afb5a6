/**
 * What the settings of a verifier may say. Wrong ones are a mistake of the program, which is told when it is defined.
 */
import { isLoopbackHost } from "../AddressGuard.ts"
import { maxTolerance, type TokenSettings } from "./TokenRules.ts"

const isFinite = (value: unknown): boolean => typeof value === "number" && value >= 0 && value < Infinity

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
  if ((settings.clockTolerance ?? 0) > maxTolerance) {
    throw new TypeError(`clockTolerance must be at most ${maxTolerance} milliseconds`)
  }
}

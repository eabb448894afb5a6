/**
 * What the settings of a verifier may say. Wrong ones are a mistake of the program, which is told when it is defined.
 */
import { namesOf } from "@treadle/protocol/json"
import { isLoopbackHost } from "../AddressGuard.ts"
import { checkLists, checkTimes, checkValues, isText } from "../SettingValues.ts"
import type { AuthoritySettings } from "./Authority.ts"
import { maxTolerance, type TokenSettings } from "./TokenRules.ts"

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

/** @throws TypeError where no token could be of an issuer, or no caller be told apart by its name */
export const checkIssuer = (issuer: unknown): void => {
  if (!isText(issuer)) throw new TypeError('issuer is missing; write it as "https://login.example"')
  if (issuer.includes("#")) throw new TypeError("issuer must be without a fragment (RFC 8414 section 2)")
}

/** What every verifier may be told, by name. */
export const verifierNames: ReadonlyArray<string> = [
  ...namesOf<AuthoritySettings>({ sender: true, network: true, timeout: true }),
  ...namesOf<TokenSettings>({ audiences: true, clockTolerance: true, maxAge: true, boundTokens: true, scopesOf: true })
]

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

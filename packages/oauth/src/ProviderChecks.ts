/**
 * What the settings of a provider of tokens may say.
 */
import { isRecord } from "@treadle/protocol/json"
import {
  bare,
  checkFunctions,
  checkLists,
  checkNames,
  checkRecord,
  checkTimes,
  checkValues,
  isText
} from "./SettingValues.ts"

interface Given {
  readonly [name: string]: unknown
}

const has = (value: unknown, names: ReadonlyArray<string>): boolean =>
  isRecord(value) && names.every((name) => typeof value[name] === "function")

/** The settings that every provider has. @param names of all that this one has @throws TypeError */
export const checkProvider = (made: string, settings: object, names: ReadonlyArray<string>): Given => {
  checkRecord(`what ${made} is given`, settings, "{ … }")
  checkNames(settings, names)
  const given: Given = { ...settings }
  checkLists(given, ["scopes"])
  checkValues(given, { network: ["public", "loopback", "private"], dpop: [true, false] })
  checkTimes(given, ["timeout"])
  checkFunctions(given, ["sender"])
  const { browser, clientSecret, issuer, store } = given
  if (store !== undefined && !has(store, ["read", "write", "remove", "exclusive"])) {
    throw new TypeError("store must have read, write, remove and exclusive, such as what makeMemoryStore() gives")
  }
  if (browser !== undefined && !has(browser, ["visit"])) {
    throw new TypeError("browser must have visit, such as what makeLoopbackBrowser() gives")
  }
  if (isText(bare(clientSecret)) && !isText(issuer)) {
    throw new TypeError(
      "issuer is missing, and without it clientSecret would be shown to whichever authorization server the MCP server " +
        'names; write the one that it belongs to, as issuer: "https://login.example"'
    )
  }
  return given
}

/** @throws TypeError where a text is missing, or empty */
export const demandText = (given: Given, name: string): void => {
  if (!isText(given[name])) throw new TypeError(`${name} is missing; write it as a text that is not empty`)
}

/** @throws TypeError where a function is missing */
export const demandFunction = (given: Given, name: string): void => {
  if (typeof given[name] !== "function") throw new TypeError(`${name} must be a function that gives the token`)
}

/** What proves a client that nobody vouches for. @throws TypeError where it is missing, such as an unset variable */
export const demandProof = ({ clientSecret, privateKey }: Given): void => {
  if ([clientSecret, privateKey].map(bare).some(isText)) return
  throw new TypeError("clientSecret or privateKey is missing; give one of them as a text that is not empty")
}

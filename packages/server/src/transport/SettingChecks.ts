/**
 * Every setting of a door that could not work, found in one pass before the door is made. Pure.
 *
 * A setting that the door does not read is a fault, whether another door has it or none. `undefined` is the default.
 */
import { isRecord } from "@treadle/protocol/json"
import * as Redacted from "effect/Redacted"
import { Limits } from "../Limits.ts"
import type { McpBuildError } from "../McpBuildError.ts"
import { authentication, openAddressFaults, resourceAddressFaults, transportSecurity } from "./AuthChecks.ts"
import { doorSettings, placeElsewhere, type DoorKind } from "./DoorSettings.ts"
import { fault, shown, unknownFaults, type Check, type Faults } from "./SettingFault.ts"

const oneOf =
  (...values: ReadonlyArray<string | boolean>): Check =>
  (setting, value) =>
    values.some((one) => one === value)
      ? []
      : fault(setting, `${shown(value)} is none of its values; write ${values.map(shown).join(" or ")}`)

const aFunction: Check = (setting, value) =>
  typeof value === "function" ? [] : fault(setting, `${shown(value)} is no function; pass one`)

const textLike =
  (form: RegExp, what: string, example: string): Check =>
  (setting, value) =>
    typeof value === "string" && form.test(value)
      ? []
      : fault(setting, `${shown(value)} is no ${what}; write it as ${JSON.stringify(example)}`)

const port: Check = (setting, value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 65_535
    ? []
    : fault(setting, `${shown(value)} is no port; write a whole number up to 65535, or 0 for a free one`)

/** What may be none at all: then nothing of it is admitted or kept, or nothing is waited for. */
const mayBeZero: ReadonlySet<string> = new Set<keyof Limits>([
  "runningCalls",
  "listeners",
  "subscribedUris",
  "sessions",
  "keptEvents",
  "tasks",
  "callerTasks",
  "unreadBytes",
  "streamAfter",
  "drain",
  "grace"
])

/** What cannot be more than this: the stack has no room for deeper recursion. */
const most: { readonly [name: string]: number } = { nesting: 1_000 } satisfies Partial<Limits>

/** Those in milliseconds, which may be fractions; the rest are counted. */
const times: ReadonlySet<string> = new Set<keyof Limits>([
  "sessionIdle",
  "streamAfter",
  "keepAlive",
  "askTimeout",
  "drain",
  "grace"
])

const limit = (name: string, value: unknown): Faults => {
  const place = `limits.${name}`
  const { [name]: highest = Infinity } = most
  const isZero = value === 0 && mayBeZero.has(name)
  const isNumber = times.has(name) ? Number.isFinite(value) : Number.isSafeInteger(value)
  if (isZero || (isNumber && Number(value) > 0 && Number(value) <= highest)) return []
  const kind = times.has(name) ? "a finite number of milliseconds" : "a whole number"
  const range = mayBeZero.has(name) ? "0 or more" : "above 0"
  const end = highest === Infinity ? "" : ` and ${highest} at most`
  return fault(place, `${shown(value)} is no limit; write ${kind}, ${range}${end}`)
}

const limits: Check = (setting, value) =>
  isRecord(value)
    ? [
        ...unknownFaults(setting, value, Object.keys(Limits.defaults), "limit"),
        ...Object.entries(value).flatMap(([name, one]) =>
          one === undefined || !Object.hasOwn(Limits.defaults, name) ? [] : limit(name, one)
        )
      ]
    : fault(setting, `${shown(value)} is no object of limits; write limits: { sessions: 100 }`)

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** What an entry was most likely meant to be, where that can be told. */
type Meant = (entry: string) => string | undefined

const webOrigin = /^https?:\/\//i
/** Other schemes have origins that URLs do not tell: of extensions, of applications with pages of their own. */
const otherOrigin = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/i

const meantOrigin: Meant = (entry) => {
  if (webOrigin.test(entry)) return parsed(entry)?.origin
  if (entry === "null" || otherOrigin.test(entry)) return entry.toLowerCase()
  const [other] = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+/i.exec(entry) ?? []
  return other ?? parsed(`https://${entry}`)?.origin
}

const bareIpv6 = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i
const hostForm = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

const meantHost: Meant = (entry) => {
  if (hostForm.test(entry)) return entry.toLowerCase()
  if (bareIpv6.test(entry)) return `[${entry.toLowerCase()}]`
  const host = parsed(/^[a-z][a-z0-9+.-]*:\/\//i.test(entry) ? entry : `http://${entry}`)?.host
  return host === undefined || host === "" ? undefined : host
}

/** A list of names to compare with, or `"any"`. */
const names =
  (what: string, example: string, meant: Meant): Check =>
  (setting, value) => {
    if (value === "any") return []
    const any = `${setting}: "any"`
    if (value === "*") return fault(setting, `"*" is not read as a pattern; write ${any}`)
    if (!Array.isArray(value)) {
      const entry = typeof value === "string" ? (meant(value) ?? example) : example
      return fault(setting, `${shown(value)} is no array; write ${setting}: ["${entry}"], or ${any}`)
    }
    return value.flatMap((entry: unknown, index) => {
      const place = `${setting}[${index}]`
      if (typeof entry !== "string") return fault(place, `${shown(entry)} is no ${what}; write "${example}"`)
      if (entry === "any" || entry === "*")
        return fault(place, `"${entry}" is no ${what}; write ${any}, without the array`)
      if (entry.includes("*")) {
        return fault(place, `${shown(entry)} is a pattern, which is not read; write each ${what} out, or ${any}`)
      }
      const right = meant(entry)
      if (right === entry.toLowerCase()) return []
      return fault(place, `${shown(entry)} is no ${what}; write ${JSON.stringify(right ?? example)}`)
    })
  }

const secretFault = (secret: unknown): string | undefined => {
  const bytes = Redacted.isRedacted(secret) ? Redacted.value(secret) : secret
  const cure = "give 32 random bytes"
  // What was given is a secret even where it cannot be one.
  if (!ArrayBuffer.isView(bytes)) return `it is no Uint8Array; ${cure}`
  return bytes.byteLength === 32 ? undefined : `it has ${bytes.byteLength} bytes; ${cure}`
}

const stateKeys: Check = (setting, value) => {
  if (!Array.isArray(value)) return fault(setting, `${shown(value)} is no array of keys; write [{ id, secret }]`)
  const keys: ReadonlyArray<unknown> = value
  const ids = keys.map((key) => (isRecord(key) ? key["id"] : undefined))
  return keys.flatMap((key, index) => {
    const place = `${setting}[${index}]`
    if (!isRecord(key)) return fault(place, `${shown(key)} is no key; write { id, secret }`)
    const id = ids[index]
    const secret = secretFault(key["secret"])
    return [
      ...(typeof id === "string" && id !== "" ? [] : fault(`${place}.id`, `${shown(id)} is no name; write "2026-a"`)),
      ...(ids.indexOf(id) < index && id !== undefined
        ? fault(`${place}.id`, `there are two keys named ${shown(id)}; give each its own name`)
        : []),
      ...(secret === undefined ? [] : fault(`${place}.secret`, secret)),
      ...unknownFaults(place, key, ["id", "secret"])
    ]
  })
}

const checks: Readonly<Record<string, Check>> = {
  limits,
  onDefect: aFunction,
  sessions: oneOf("on", "off"),
  stateKeys,
  hosts: names("host", "mcp.example", meantHost),
  origins: names("origin", "https://app.example", meantOrigin),
  cors: oneOf(true, false),
  replies: oneOf("auto", "json", "events"),
  messages: textLike(/^\S+$/, "address", "/messages"),
  port,
  host: textLike(/^\S+$/, "address", "127.0.0.1"),
  // A route of an HttpRouter may end a segment with a question mark.
  path: textLike(/^\/(?:[^\s?#]|\?(?=\/|$))*$/, "path", "/mcp"),
  principal: aFunction,
  request: aFunction,
  auth: authentication,
  tls: transportSecurity
}

/** What doors tell each other beside them. */
const internal = new Set(["ownUrl", "certify", "continues", "verbs", "check", "door"])

/** What is given that the door does not read: of other doors, and of none. */
const unreadFaults = (given: ReadonlyArray<readonly [name: string, value: unknown]>, door: DoorKind): Faults => {
  const unread = given.filter(([name]) => !internal.has(name) && !doorSettings[door].includes(name))
  const strange = unread.filter(([name]) => placeElsewhere(name) === undefined)
  return [
    ...unread.flatMap(([name]) => {
      const place = placeElsewhere(name)
      return place === undefined ? [] : fault(name, place)
    }),
    ...unknownFaults("", Object.fromEntries(strange), doorSettings[door])
  ]
}

/**
 * Every fault of the settings that a door was given; empty when it can be made.
 *
 * @param settings what was given, with `door`, which kind of door it is: one without HTTP by default
 */
export const settingErrors = (settings: { readonly door?: DoorKind }): ReadonlyArray<McpBuildError> => {
  if (!isRecord(settings)) return fault("settings", `${shown(settings)} is no object; pass one, or leave it out`)
  const { door = "pipe" } = settings
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  const read = Object.fromEntries(given.filter(([name]) => internal.has(name) || doorSettings[door].includes(name)))
  return [
    ...Object.entries(checks).flatMap(([setting, check]) => {
      const value = read[setting]
      return value === undefined ? [] : check(setting, value)
    }),
    ...unreadFaults(given, door),
    ...resourceAddressFaults(read),
    ...openAddressFaults(read)
  ]
}

/**
 * What a native round hands to the client to bring back: encrypted, authenticated, and bound to the caller, the method,
 * its parameters and a time (MRTR-06, STATE-01 to STATE-05). Nothing of it is kept here.
 *
 * A state is `key id.Base64 of (12 random bytes, AES-GCM of the payload)`. What it is bound to is authenticated beside the
 * payload, so a state that is presented elsewhere does not open.
 */
import * as Effect from "effect/Effect"
import {
  fromBase64,
  isJsonObject,
  isRecord,
  own,
  parseJson,
  toBase64,
  type Json,
  type JsonObject
} from "@treadle/protocol/json"
import type { Admitted } from "../../envelope/Admitted.ts"
import { secretsOf, type StateKey } from "../../StateKey.ts"

/** What is remembered between two rounds. */
export interface RoundState {
  /** Differs from that of any other state. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly expires: number
  /** What was answered in earlier rounds, as it came. */
  readonly answers: ReadonlyMap<string, Json>
  /** What steps gave. */
  readonly steps: ReadonlyMap<string, string | undefined>
  /** The methods of the questions that this round asks. */
  readonly asked: ReadonlyMap<string, string>
}

const ivBytes = 12
const version = 1

/** JSON text that does not depend on the order of keys. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? "null"
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${members.join(",")}}`
}

/** What may differ between the attempts of one request (MRTR-14). */
const ofAttempt = new Set(["_meta", "inputResponses", "requestState"])

/** All that a state belongs to. */
const bindingOf = (keyId: string, { inbound, request }: Admitted): Uint8Array<ArrayBuffer> => {
  const params = Object.entries(request.params ?? {}).filter(([name]) => !ofAttempt.has(name))
  const facts = [version, keyId, inbound.principal?.id ?? null, request.method, Object.fromEntries(params)]
  return new TextEncoder().encode(canonical(facts))
}

const printState = ({ answers, asked, expires, id, steps }: RoundState): string =>
  JSON.stringify({
    id,
    expires,
    answers: [...answers],
    steps: [...steps].map(([key, text]) => (text === undefined ? [key] : [key, text])),
    asked: [...asked]
  })

const pairs = (value: unknown): ReadonlyArray<ReadonlyArray<Json>> => (Array.isArray(value) ? value : [])

/** Reads a payload that this very code sealed. */
const readState = (text: string): RoundState | undefined => {
  const payload = parseJson(text)
  if (payload === undefined || !isJsonObject(payload)) return undefined
  const id = own(payload, "id")
  const expires = own(payload, "expires")
  if (typeof id !== "string" || typeof expires !== "number") return undefined
  return {
    id,
    expires,
    answers: new Map(pairs(payload["answers"]).map(([key, answer]) => [String(key), answer ?? null])),
    steps: new Map(
      pairs(payload["steps"]).map(([key, value]) => [String(key), typeof value === "string" ? value : undefined])
    ),
    asked: new Map(pairs(payload["asked"]).map(([key, method]) => [String(key), String(method)]))
  }
}

interface Keys {
  readonly first: string
  readonly byId: ReadonlyMap<string, Promise<CryptoKey>>
}

/** What seals and opens the states of one served thing. */
export interface StateSeal {
  readonly seal: (request: Admitted, state: RoundState) => Effect.Effect<string>
  /** The state, or `undefined` where it is none of ours, not for this request, or too old; it does not say which. */
  readonly open: (request: Admitted, sealed: unknown, now: number) => Effect.Effect<RoundState | undefined>
}

/**
 * Makes the seal. Web Crypto is not touched before something is sealed or opened: Node loads it when it is first named.
 *
 * @param stateKeys the first seals, all of them open; none: a key of this process, made when it is first needed
 * @param warn called once, where a key of this process is made
 */
export const makeStateSeal = (stateKeys: ReadonlyArray<StateKey>, warn: (text: string) => void): StateSeal => {
  const given = secretsOf(stateKeys)
  let made: Keys | undefined

  const imported = (secrets: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Keys => ({
    first: [...secrets.keys()][0] ?? "",
    byId: new Map(
      [...secrets].map(([id, secret]) => [
        id,
        globalThis.crypto.subtle.importKey("raw", secret, "AES-GCM", false, ["encrypt", "decrypt"])
      ])
    )
  })
  const keys = (): Keys => {
    if (made !== undefined) return made
    if (given.size > 0) return (made = imported(given))
    warn(
      "requestState is sealed with a key of this process: a retry that reaches another process, or this one after a " +
        "restart, is refused. Give every process the same stateKeys."
    )
    return (made = imported(new Map([["process", globalThis.crypto.getRandomValues(new Uint8Array(32))]])))
  }

  const encrypted = Effect.fnUntraced(function* (request: Admitted, state: RoundState) {
    const { byId, first } = keys()
    const iv = globalThis.crypto.getRandomValues(new Uint8Array(ivBytes))
    const key = yield* Effect.promise(() => byId.get(first) ?? Promise.reject(new Error("no key")))
    const algorithm = { name: "AES-GCM", iv, additionalData: bindingOf(first, request) }
    const text = new TextEncoder().encode(printState(state))
    const cipher = yield* Effect.promise(() => globalThis.crypto.subtle.encrypt(algorithm, key, text))
    const bytes = new Uint8Array(ivBytes + cipher.byteLength)
    bytes.set(iv)
    bytes.set(new Uint8Array(cipher), ivBytes)
    return `${first}.${toBase64(bytes)}`
  })

  const opened = Effect.fnUntraced(function* (request: Admitted, sealed: unknown, now: number) {
    if (typeof sealed !== "string") return undefined
    const dot = sealed.lastIndexOf(".")
    const id = sealed.slice(0, Math.max(dot, 0))
    const key = keys().byId.get(id)
    const bytes = fromBase64(sealed.slice(dot + 1))
    if (key === undefined || bytes === undefined || bytes.length <= ivBytes) return undefined
    const algorithm = { name: "AES-GCM", iv: bytes.slice(0, ivBytes), additionalData: bindingOf(id, request) }
    const decrypt = (ready: CryptoKey) => globalThis.crypto.subtle.decrypt(algorithm, ready, bytes.slice(ivBytes))
    const plain = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => key.then(decrypt)),
      () => undefined
    )
    const state = plain === undefined ? undefined : readState(new TextDecoder().decode(plain))
    return state === undefined || state.expires <= now ? undefined : state
  })

  return { seal: encrypted, open: opened }
}

/** The members of `params` that only a retry has. */
export const isRetry = (params: JsonObject | undefined): boolean =>
  params !== undefined && (Object.hasOwn(params, "requestState") || Object.hasOwn(params, "inputResponses"))

/**
 * Cursors that only servers with the same keys can make. One holds the number of a page, the name of a key, and an HMAC
 * over the page and over all that it depends on, so a cursor of another list, another caller or an older list opens
 * nothing (PAGE-04).
 */
import * as Effect from "effect/Effect"
import { fromBase64, toBase64 } from "@treadle/protocol/json"
import { secretsOf, type StateKey } from "../../StateKey.ts"

/** What a cursor is bound to; each part is compared as it is printed. */
export type CursorFacts = ReadonlyArray<string | undefined>

const hash = "SHA-256"
const algorithm: HmacKeyGenParams = { name: "HMAC", hash, length: 256 }
const shape = /^(0|[1-9]\d{0,8})\.(.*)\.([A-Za-z0-9+/=]+)$/s

const encoder = new TextEncoder()
const signed = (page: number, facts: CursorFacts) => encoder.encode(JSON.stringify([page, ...facts]))

/** A key for cursors alone, made of one that seals states too. */
const derived = async (secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> => {
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"])
  const use = { name: "HKDF", hash, salt: new Uint8Array(), info: encoder.encode("treadle cursor") }
  return crypto.subtle.deriveKey(use, base, algorithm, false, ["sign", "verify"])
}

type Keys = ReadonlyMap<string, Promise<CryptoKey>>

export class CursorSeal {
  readonly #given: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  /** Made when the first page of a long list is asked for: some platforms have no randomness before a request. */
  #keys: Keys | undefined

  /** @param stateKeys the first seals, all of them open; none: a key of this process */
  constructor(stateKeys: ReadonlyArray<StateKey>) {
    this.#given = secretsOf(stateKeys)
  }

  seal(page: number, facts: CursorFacts): Effect.Effect<string> {
    return Effect.promise(async () => {
      const [id = "", key] = [...this.#secrets()][0] ?? []
      const mac = key === undefined ? undefined : await crypto.subtle.sign("HMAC", await key, signed(page, facts))
      return `${page}.${id}.${toBase64(new Uint8Array(mac ?? []))}`
    })
  }

  /** The page, or `undefined` for whatever is no cursor of these facts. */
  open(cursor: string, facts: CursorFacts): Effect.Effect<number | undefined> {
    const [, page, id, encoded] = shape.exec(cursor) ?? []
    const key = id === undefined ? undefined : this.#secrets().get(id)
    const mac = encoded === undefined ? undefined : fromBase64(encoded)
    if (key === undefined || mac === undefined) return Effect.undefined
    const number = Number(page)
    return Effect.promise(async () => {
      const valid = await crypto.subtle.verify("HMAC", await key, Uint8Array.from(mac), signed(number, facts))
      return valid ? number : undefined
    })
  }

  #secrets(): Keys {
    return (this.#keys ??=
      this.#given.size === 0
        ? new Map([["process", crypto.subtle.generateKey(algorithm, false, ["sign", "verify"])]])
        : new Map([...this.#given].map(([id, secret]) => [id, derived(secret)])))
  }
}

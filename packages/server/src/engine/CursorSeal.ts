/**
 * Cursors that nobody but this served thing can make. One holds the number of a page, and an HMAC over it and over all
 * that it depends on, so a cursor of another list, another caller or an older list opens nothing (PAGE-04).
 */
import * as Effect from "effect/Effect"
import { fromBase64, toBase64 } from "@treadle/protocol/json"

/** What a cursor is bound to; each part is compared as it is printed. */
export type CursorFacts = ReadonlyArray<string | undefined>

const algorithm: HmacKeyGenParams = { name: "HMAC", hash: "SHA-256" }
const shape = /^(0|[1-9]\d{0,8})\.([A-Za-z0-9+/=]+)$/

const encoder = new TextEncoder()
const signed = (page: number, facts: CursorFacts) => encoder.encode(JSON.stringify([page, ...facts]))

export class CursorSeal {
  /** Made when the first page of a long list is asked for: some platforms have no randomness before a request. */
  #key: Promise<CryptoKey> | undefined

  seal(page: number, facts: CursorFacts): Effect.Effect<string> {
    return Effect.promise(async () => {
      const mac = await crypto.subtle.sign(algorithm.name, await this.#secret(), signed(page, facts))
      return `${page}.${toBase64(new Uint8Array(mac))}`
    })
  }

  /** The page, or `undefined` for whatever is no cursor of these facts. */
  open(cursor: string, facts: CursorFacts): Effect.Effect<number | undefined> {
    const [, page, encoded] = shape.exec(cursor) ?? []
    const mac = encoded === undefined ? undefined : fromBase64(encoded)
    if (mac === undefined) return Effect.void as Effect.Effect<undefined>
    const number = Number(page)
    return Effect.promise(async () => {
      const valid = await crypto.subtle.verify(
        algorithm.name,
        await this.#secret(),
        Uint8Array.from(mac),
        signed(number, facts)
      )
      return valid ? number : undefined
    })
  }

  #secret(): Promise<CryptoKey> {
    return (this.#key ??= crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]))
  }
}

/**
 * Proofs that whoever shows a token also holds the key it was issued to (RFC 9449), with the digest of the body that the
 * draft extension of MCP asks for.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449
 */
import { SignJWT } from "jose"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { keepNewest } from "../Newest.ts"
import type { BindingKey } from "./SigningKey.ts"

/** What a proof is made for: one request, and never another. */
export interface Proven {
  readonly method: string
  readonly url: URL
  /** The token that is shown with it; none at the token endpoint. */
  readonly token?: Redacted.Redacted | undefined
  readonly body?: string | undefined
}

const base64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)))

const sha256 = (text: string): Promise<ArrayBuffer> => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))

const base64url = (bytes: ArrayBuffer): string =>
  base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

/** How many servers are remembered by their last nonce. */
const maxOrigins = 16

/** Makes proofs with one key, and remembers the nonces that servers demand in them. */
export class Dpop {
  readonly #key: BindingKey
  readonly #nonces = new Map<string, string>()

  constructor(key: BindingKey) {
    this.#key = key
  }

  /** Hears of a response, whose nonce the next proof for its server carries. */
  heard(url: URL, nonce: string | null): void {
    if (nonce === null || nonce === "") return
    keepNewest(this.#nonces, url.origin, nonce, maxOrigins)
  }

  /** The proof for one request. */
  readonly proof = ({ body, method, token, url }: Proven): Effect.Effect<string> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.promise(async () => {
        const nonce = this.#nonces.get(url.origin)
        const claims = {
          jti: crypto.randomUUID(),
          htm: method,
          htu: `${url.origin}${url.pathname}`,
          ...(nonce === undefined ? {} : { nonce }),
          ...(token === undefined ? {} : { ath: base64url(await sha256(Redacted.value(token))) }),
          ...(body === undefined ? {} : { content_digest: `sha-256=:${base64(await sha256(body))}:` })
        }
        return new SignJWT(claims)
          .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk: this.#key.shown })
          .setIssuedAt(Math.floor(now / 1000))
          .sign(this.#key.sign)
      })
    )
}

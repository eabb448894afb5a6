/**
 * Keys that a client signs with: its own, for assertions, and those that tokens are bound to.
 */
import { exportJWK, generateKeyPair, importJWK, importPKCS8, type JWK } from "jose"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AuthReason } from "../AuthError.ts"

/** A private key as it signs. */
export interface PrivateKey {
  readonly key: CryptoKey
  readonly kid?: string
}

/** A private key as a developer has it: PEM in PKCS #8, or a JWK as JSON text. */
export interface PrivateKeyText {
  readonly privateKey: Redacted.Redacted
  /** Such as `ES256`, the default, or `RS256`. */
  readonly algorithm?: string | undefined
  /** The id that the authorization server knows the key by. */
  readonly keyId?: string | undefined
}

/** What is told of a key that cannot be read, or that is too weak to sign. */
export const unusableKey: AuthReason = new AuthReason.NoClient({
  why: 'the "privateKey" setting is no private key of its "algorithm"; give PKCS #8 PEM or a JWK, for RSA of 2048 bits or more',
  rule: "RFC 7523 section 3"
})

const isCryptoKey = (key: unknown): key is CryptoKey => typeof key === "object" && key !== null && "usages" in key

/** Reads a key. Why it cannot be read is not told, because that may quote it. */
export const readPrivateKey = ({
  algorithm = "ES256",
  keyId,
  privateKey
}: PrivateKeyText): Effect.Effect<PrivateKey, AuthReason> =>
  Effect.tryPromise({
    try: async () => {
      const text = Redacted.value(privateKey).trim()
      const key = text.startsWith("{")
        ? await importJWK(JSON.parse(text) as JWK, algorithm)
        : await importPKCS8(text, algorithm)
      if (!isCryptoKey(key) || !key.usages.includes("sign")) throw new TypeError("it does not sign")
      return keyId === undefined ? { key } : { key, kid: keyId }
    },
    catch: () => unusableKey
  })

/** A key pair that tokens are bound to, as it is kept: a private JWK for ES256. */
export const makeBindingKey: Effect.Effect<Redacted.Redacted> = Effect.promise(async () => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true })
  return Redacted.make(JSON.stringify(await exportJWK(privateKey)))
})

/** The key pair again: what signs, and what is shown. */
export interface BindingKey {
  readonly sign: CryptoKey
  readonly shown: JWK
}

/** Reads a kept key pair; nothing where it is none. */
export const readBindingKey = (kept: Redacted.Redacted): Effect.Effect<BindingKey | undefined> =>
  Effect.promise(async () => {
    try {
      const jwk = JSON.parse(Redacted.value(kept)) as JWK
      const sign = await importJWK(jwk, "ES256")
      const { crv, kty, x, y } = jwk
      if (!isCryptoKey(sign) || crv === undefined || kty === undefined || x === undefined || y === undefined)
        return undefined
      return { sign, shown: { kty, crv, x, y } }
    } catch {
      return undefined
    }
  })

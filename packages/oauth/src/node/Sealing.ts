/**
 * Secret texts as sealed bytes: AES-256-GCM under a key that HKDF derives from a secret and a salt of each seal. The
 * store key is authenticated with it, so that what was sealed under one key does not open under another.
 *
 * A seal is its mark, 32 bytes of salt, 12 of nonce, 16 of tag, and the text enciphered.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"

const mark = Buffer.from("treadle sealed 1\n")
const saltLength = 32
const nonceLength = 12
const tagLength = 16
const headLength = mark.length + saltLength + nonceLength + tagLength

/** How many bytes a seal is longer than its text. */
export const sealOverhead = headLength

const cipher = "aes-256-gcm"

const derived = (secret: Uint8Array, salt: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, salt, mark, 32))

/** Any text as bytes, no two texts as the same: UTF-8 would make one of all lone surrogates. */
export const bytesOfKey = (key: string): Buffer => Buffer.from(key, "utf16le")

const authenticated = (key: string): Buffer => Buffer.concat([mark, bytesOfKey(key)])

/** Seals a text under a store key. */
export const seal = (secret: Uint8Array, key: string, text: Uint8Array): Buffer => {
  const salt = randomBytes(saltLength)
  const nonce = randomBytes(nonceLength)
  const gcm = createCipheriv(cipher, derived(secret, salt), nonce, { authTagLength: tagLength })
  gcm.setAAD(authenticated(key))
  const body = Buffer.concat([gcm.update(text), gcm.final()])
  return Buffer.concat([mark, salt, nonce, gcm.getAuthTag(), body])
}

/** Opens a seal; `undefined` where it is none, was sealed with another secret or under another key, or was changed. */
export const unseal = (secret: Uint8Array, key: string, sealed: Uint8Array): Buffer | undefined => {
  const bytes = Buffer.from(sealed)
  if (bytes.length < headLength || !bytes.subarray(0, mark.length).equals(mark)) return undefined
  const afterSalt = mark.length + saltLength
  const salt = bytes.subarray(mark.length, afterSalt)
  const nonce = bytes.subarray(afterSalt, afterSalt + nonceLength)
  const gcm = createDecipheriv(cipher, derived(secret, salt), nonce, { authTagLength: tagLength })
  gcm.setAAD(authenticated(key))
  gcm.setAuthTag(bytes.subarray(afterSalt + nonceLength, headLength))
  try {
    return Buffer.concat([gcm.update(bytes.subarray(headLength)), gcm.final()])
  } catch {
    return undefined
  }
}

/**
 * The keys that seal what travels through clients.
 */
import * as Redacted from "effect/Redacted"

/** A key with its name, which travels in clear beside what it sealed. */
export interface StateKey {
  readonly id: string
  /** 32 bytes, from a source of random bytes. Every process that serves the same clients has the same. */
  readonly secret: Uint8Array<ArrayBuffer> | Redacted.Redacted<Uint8Array<ArrayBuffer>>
}

/**
 * The bytes of each key by its name.
 *
 * @throws RangeError where a secret is not of 32 bytes, or a name is given twice
 */
export const secretsOf = (keys: ReadonlyArray<StateKey>): ReadonlyMap<string, Uint8Array<ArrayBuffer>> => {
  const secrets = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const { id, secret } of keys) {
    const bytes = Redacted.isRedacted(secret) ? Redacted.value(secret) : secret
    if (bytes.length !== 32) throw new RangeError(`stateKeys: the secret ${JSON.stringify(id)} must have 32 bytes`)
    if (secrets.has(id)) throw new RangeError(`stateKeys: there are two keys named ${JSON.stringify(id)}`)
    secrets.set(id, bytes)
  }
  return secrets
}

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

/** The bytes of each key by its name; doors have checked the keys. */
export const secretsOf = (keys: ReadonlyArray<StateKey>): ReadonlyMap<string, Uint8Array<ArrayBuffer>> =>
  new Map(keys.map(({ id, secret }) => [id, Redacted.isRedacted(secret) ? Redacted.value(secret) : secret]))

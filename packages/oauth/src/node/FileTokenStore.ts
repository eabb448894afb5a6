/**
 * Logins in encrypted files, for all processes of a user (AUTH-32, W147): a file for each key, named by a digest of it.
 *
 * By default the secret that files are sealed with is a file beside them. That keeps a login out of a copy that lacks
 * this file, and out of the sight of whoever looks at the others; it does not keep it from whoever can read the whole
 * directory as this user. A secret from the keychain of the system does.
 */
import { createHash, randomBytes } from "node:crypto"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { StoreFailure } from "../AuthError.ts"
import { checkNames, checkRecord, isText } from "../SettingValues.ts"
import { makeLocks, type TokenStore } from "../TokenStore.ts"
import { inTurn } from "./FileTurns.ts"
import { privateFolder, storeFailed, type PrivateFolder } from "./PrivateFolder.ts"
import { bytesOfKey, seal, sealOverhead, unseal } from "./Sealing.ts"
import { storeDirectory } from "./StoreDirectory.ts"

/** Settings of a store in files. */
export interface FileStoreSettings {
  /**
   * A directory of its own; by default `treadle/oauth` below `XDG_STATE_HOME`, or below `~/.local/state`,
   * `~/Library/Application Support` or `%LOCALAPPDATA%`, as the platform has it. It is made with the rights 0700; one
   * that is there and that others have rights in is refused.
   */
  readonly directory?: string
  /**
   * What files are sealed with: at least 16 random bytes, such as the keychain of the system keeps, and no password. By
   * default they are in the file `key` of the directory, which needs a file system with hard links.
   */
  readonly secret?: Redacted.Redacted<string | Uint8Array>
}

/** The longest value that is kept, in bytes. */
const valueLimit = 64 * 1024

const keyFile = "key"
const keyLength = 32
const leastSecret = 16

/** @throws TypeError where nothing could be kept, or not in safety */
const checkSettings = (settings: FileStoreSettings): void => {
  checkRecord("what makeFileStore is given", settings, "{ directory }")
  checkNames(settings, ["directory", "secret"])
  const { directory, secret }: { readonly [name: string]: unknown } = { ...settings }
  if (directory !== undefined && !isText(directory)) {
    throw new TypeError("directory must be the path of a directory; leave it out for the usual one")
  }
  if (secret === undefined) return
  const bytes = Redacted.isRedacted(secret) ? Redacted.value(secret) : undefined
  if (typeof bytes !== "string" && !(bytes instanceof Uint8Array)) {
    throw new TypeError("secret must be Redacted.make(…) of a text or of bytes; leave it out for one in the directory")
  }
  const { length } = Buffer.from(bytes)
  if (length < leastSecret) throw new TypeError(`secret has ${length} bytes, and needs ${leastSecret} or more`)
}

/** The secret that files are sealed with; `undefined` where there is none yet. */
const secretOf = (
  folder: PrivateFolder,
  { secret }: FileStoreSettings
): Effect.Effect<Uint8Array | undefined, StoreFailure> => {
  if (secret !== undefined) return Effect.succeed(Buffer.from(Redacted.value(secret)))
  const path = join(folder.path, keyFile)
  return Effect.filterOrFail(
    folder.read(keyFile, keyLength * 2),
    (bytes) => bytes === undefined || bytes.length === keyLength,
    () => storeFailed(`${path} is damaged; remove it, and log in again`)
  )
}

/** The secret, made where there is none; of two processes that make it at once, both get the first one's. */
const madeSecret = (folder: PrivateFolder, settings: FileStoreSettings): Effect.Effect<Uint8Array, StoreFailure> =>
  Effect.gen(function* () {
    const known = yield* secretOf(folder, settings)
    if (known !== undefined) return known
    yield* folder.create(keyFile, randomBytes(keyLength))
    const made = yield* secretOf(folder, settings)
    return made ?? (yield* storeFailed(`${join(folder.path, keyFile)} was removed as soon as it was made; try again`))
  })

const digestOf = (key: string): string => createHash("sha256").update(bytesOfKey(key)).digest("hex")

const fileOf = (key: string): string => `${digestOf(key)}.sealed`

/**
 * A store in encrypted files, which processes share.
 *
 * Files are AES-256-GCM, readable by this user only, and written as a whole. A file that was changed, swapped, cut off,
 * sealed with another secret or made by somebody else counts as nothing kept. Whoever holds a key exclusively and dies
 * is replaced at once on the same machine, else after five seconds. Fails with `AuthReason.StoreFailed` where files
 * cannot be read or written, where others have rights in them, and for a value beyond 64 KiB.
 *
 * @param settings `directory`, `secret`
 * @throws TypeError where a setting could not work
 *
 * @example
 * ```ts
 * import { makeFileStore } from "@treadle/oauth/node"
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 * import { mkdtemp, rm } from "node:fs/promises"
 * import { tmpdir } from "node:os"
 *
 * const directory = await mkdtemp(`${tmpdir()}/treadle-`)
 * const store = makeFileStore({ directory })
 * await Effect.runPromise(store.write("as.example", Redacted.make("a token")))
 * const kept = await Effect.runPromise(makeFileStore({ directory }).read("as.example"))
 * await rm(directory, { recursive: true })
 * String(kept) // => "<redacted>"
 * kept !== undefined && Redacted.value(kept) // => "a token"
 * ```
 */
export const makeFileStore = (settings: FileStoreSettings = {}): TokenStore => {
  checkSettings(settings)
  const place = { platform: process.platform, env: process.env, home: homedir() }
  const directory = resolve(settings.directory ?? storeDirectory(place))
  const folder = privateFolder(directory)
  const locks = join(directory, "locks")
  const locally = makeLocks()
  const locked = <A, E, R>(lock: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreFailure, R> =>
    locally(lock, Effect.andThen(folder.ready, inTurn(locks, lock, effect)))
  /** Changes have a lock of their own, so that whoever holds a key exclusively may change it. */
  const changing = <A, E>(key: string, effect: Effect.Effect<A, E>) => locked(`${digestOf(key)}-change`, effect)

  const read: TokenStore["read"] = (key) =>
    Effect.gen(function* () {
      const sealed = yield* folder.read(fileOf(key), valueLimit + sealOverhead)
      const secret = sealed === undefined ? undefined : yield* secretOf(folder, settings)
      const opened = sealed === undefined || secret === undefined ? undefined : unseal(secret, key, sealed)
      return opened === undefined ? undefined : Redacted.make(opened.toString("utf8"))
    })

  return {
    read,
    write: (key, value) =>
      Effect.suspend(() => {
        const bytes = Buffer.from(Redacted.value(value), "utf8")
        if (bytes.length > valueLimit) {
          return Effect.fail(
            storeFailed(`a value of ${bytes.length} bytes is longer than ${valueLimit}, and is not kept`)
          )
        }
        const written = Effect.flatMap(madeSecret(folder, settings), (secret) =>
          folder.write(fileOf(key), seal(secret, key, bytes))
        )
        return changing(key, written)
      }),
    remove: (key, expected) =>
      Effect.gen(function* () {
        if (!(yield* folder.has(fileOf(key)))) return false
        const removed = Effect.gen(function* () {
          const kept = yield* read(key)
          const isOther =
            kept !== undefined && expected !== undefined && Redacted.value(kept) !== Redacted.value(expected)
          if (isOther) return false
          yield* folder.remove(fileOf(key))
          return kept !== undefined
        })
        return yield* changing(key, removed)
      }),
    exclusive: (key, effect) => locked(`${digestOf(key)}-turn`, effect)
  }
}

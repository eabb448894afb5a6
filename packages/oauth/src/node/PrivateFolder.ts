/**
 * A folder of files that only this user may read: 0700 and 0600 from their creation. A file appears or changes as a
 * whole or not at all, also when the process or the machine stops in the middle.
 *
 * A folder that is there already is used as it is or refused; its rights are not changed, since it may be a directory
 * that was named by mistake.
 */
import { randomBytes } from "node:crypto"
import type { Stats } from "node:fs"
import { link, mkdir, open, readdir, rename, rm, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { AuthReason, type StoreFailure } from "../AuthError.ts"

/** A folder of private files. Names come from us and are no paths. */
export interface PrivateFolder {
  readonly path: string
  /** Makes the folder where it is missing; fails where others have rights. */
  readonly ready: Effect.Effect<void, StoreFailure>
  /** A whole file; `undefined` where there is none, or a longer one than the limit says, in bytes. */
  readonly read: (name: string, limit: number) => Effect.Effect<Buffer | undefined, StoreFailure>
  /** Whether there is such a file, readable or not. */
  readonly has: (name: string) => Effect.Effect<boolean, StoreFailure>
  /** Puts a file in the place of what is there. */
  readonly write: (name: string, bytes: Uint8Array) => Effect.Effect<void, StoreFailure>
  /** Puts a file where there is none. @returns whether there was none */
  readonly create: (name: string, bytes: Uint8Array) => Effect.Effect<boolean, StoreFailure>
  /** Removes a file if it is there. */
  readonly remove: (name: string) => Effect.Effect<void, StoreFailure>
}

/** How old a temporary file is, in milliseconds, that nobody is writing any more. */
const staleAge = 10 * 60_000

const temporary = ".tmp"

export const storeFailed = (why: string): StoreFailure => new AuthReason.StoreFailed({ why })

/** The code of an error of the system. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown error"

/** Runs file operations to their end, since a half-done one would leave its mess. */
export const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, StoreFailure> =>
  Effect.uninterruptible(
    Effect.tryPromise({
      try: run,
      catch: (error) => (error instanceof AuthReason.StoreFailed ? error : storeFailed(`${what}: ${codeOf(error)}`))
    })
  )

/** What a promise gives, or `undefined` where the file is not there. */
export const ifThere = <A>(promise: Promise<A>): Promise<A | undefined> =>
  promise.catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  })

const hasUsers = process.platform !== "win32"

/** Refuses what others may look into or write to. */
const checkRights = (path: string, { mode, uid }: Stats, wanted: string): void => {
  if (!hasUsers) return
  if (uid !== process.getuid?.())
    throw storeFailed(`${path} belongs to another user; give it to this one, or name another`)
  if ((mode & 0o077) !== 0) {
    const rights = (mode & 0o777).toString(8)
    throw storeFailed(
      `${path} has the rights ${rights}, so that others could get at it; chmod it ${wanted}, or name another`
    )
  }
}

const checkFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 })
  checkRights(path, await stat(path), "700")
}

const readPrivate = async (path: string, limit: number): Promise<Buffer | undefined> => {
  const file = await ifThere(open(path, "r"))
  if (file === undefined) return undefined
  try {
    const stats = await file.stat()
    checkRights(path, stats, "600")
    return stats.size > limit ? undefined : await file.readFile()
  } finally {
    await file.close()
  }
}

/** Makes what was done in a folder last, where the platform can. */
const settle = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  await handle.sync().finally(() => handle.close())
}

/** Writes a temporary file, and gives it its name by renaming or linking it. */
const put = async (
  folder: string,
  name: string,
  bytes: Uint8Array,
  place: (from: string, to: string) => Promise<void>
): Promise<void> => {
  const from = join(folder, `${name}.${randomBytes(8).toString("hex")}${temporary}`)
  const file = await open(from, "wx", 0o600)
  try {
    await file
      .writeFile(bytes)
      .then(() => file.sync())
      .finally(() => file.close())
    await place(from, join(folder, name))
    await settle(folder).catch(() => {})
  } finally {
    await rm(from, { force: true })
  }
}

/** Removes temporary files that somebody left who died while writing. */
const sweep = async (folder: string, now: number): Promise<void> => {
  const left = (await readdir(folder)).filter((name) => name.endsWith(temporary)).map((name) => join(folder, name))
  for (const path of left) {
    const stats = await ifThere(stat(path))
    if (stats !== undefined && stats.mtimeMs < now - staleAge) await rm(path, { force: true })
  }
}

/** A folder at a path; nothing is touched before it is used. */
export const privateFolder = (path: string): PrivateFolder => ({
  path,
  ready: attempt(`${path} cannot be made`, () => checkFolder(path)),
  read: (name, limit) => attempt(`${join(path, name)} cannot be read`, () => readPrivate(join(path, name), limit)),
  has: (name) =>
    attempt(
      `${join(path, name)} cannot be looked for`,
      async () => (await ifThere(stat(join(path, name)))) !== undefined
    ),
  write: (name, bytes) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      attempt(`${join(path, name)} cannot be written`, async () => {
        await sweep(path, now).catch(() => {})
        await put(path, name, bytes, rename)
      })
    ),
  create: (name, bytes) =>
    attempt(`${join(path, name)} cannot be made`, () =>
      put(path, name, bytes, link).then(
        () => true,
        (error: unknown) => {
          if (codeOf(error) === "EEXIST") return false
          throw error
        }
      )
    ),
  remove: (name) =>
    attempt(`${join(path, name)} cannot be removed`, async () => {
      await ifThere(unlink(join(path, name)))
    })
})

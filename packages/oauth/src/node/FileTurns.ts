/**
 * Turns that processes take by files in a folder, so that one at a time has a lock (B098, W153).
 *
 * Whoever wants a lock draws a number: a file of its own, named by the lock, the number and a random owner. The lowest
 * number has the turn. While a number is chosen there is a file with number 0, which everybody waits for; so nobody is
 * overlooked who draws at the same time. A file is only ever removed by its full name, so that burying the dead can hit
 * nobody else.
 *
 * A file holds the process and the machine of its owner, and its modification time moves each second. An owner is dead
 * when its process is gone from this machine, or when its file stood still for five seconds as measured by whoever
 * waits, so that no two clocks are compared. One that was only stopped that long may have company afterwards.
 */
import { randomUUID } from "node:crypto"
import { mkdir, open, readdir, readFile, readlink, stat, unlink, type FileHandle } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type { StoreFailure } from "../AuthError.ts"
import { attempt, codeOf, ifThere } from "./PrivateFolder.ts"

/** How often an owner shows life, in milliseconds. */
const beat = 1_000

/** How long an owner shows no life that counts as dead, in nanoseconds. */
const silence = 5_000_000_000n

/** The shortest and longest wait between two looks, in milliseconds; a random part of it is left out. */
const patience = { first: 10, last: 250 }

/** A number that was drawn. */
interface Turn {
  readonly name: string
  readonly file: FileHandle
  readonly beating: Fiber.Fiber<void>
}

/** When the file of somebody before us was last seen to move. */
interface Seen {
  readonly modified: number
  readonly since: bigint
}

const numberLength = 10

const nameOf = (lock: string, number: number, owner: string): string =>
  `${lock}.${String(number).padStart(numberLength, "0")}.${owner}`

const afterLock = /^\.\d{10}\.[0-9a-f-]{36}$/

/** The files of a lock in the order of their turns. */
const namesIn = async (folder: string, lock: string): Promise<ReadonlyArray<string>> =>
  (await readdir(folder)).filter((name) => name.startsWith(lock) && afterLock.test(name.slice(lock.length))).sort()

const numberIn = (lock: string, name: string): number =>
  Number(name.slice(lock.length + 1, lock.length + 1 + numberLength))

/** This machine, as far as its processes can be asked for: containers have processes of their own. */
const machine = async (): Promise<string> => {
  const processes = await readlink("/proc/self/ns/pid").catch(() => "")
  return `${hostname()} ${processes}`
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== "ESRCH"
  }
}

/** Makes the file of an owner. */
const placed = async (path: string): Promise<FileHandle> => {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(`${process.pid}\n${await machine()}\n`)
    return file
  } catch (error) {
    await file.close()
    await unlink(path)
    throw error
  }
}

/** Draws a number; `undefined` where this process was taken for dead in the middle of it. */
const drawn = async (folder: string, lock: string): Promise<{ name: string; file: FileHandle } | undefined> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const owner = randomUUID()
  const choosing = nameOf(lock, 0, owner)
  await (await placed(join(folder, choosing))).close()
  const others = await namesIn(folder, lock)
  const name = nameOf(lock, 1 + Math.max(0, ...others.map((other) => numberIn(lock, other))), owner)
  const file = await placed(join(folder, name))
  const chosen = await ifThere(unlink(join(folder, choosing)).then(() => true))
  if (chosen === true) return { name, file }
  await file.close()
  await ifThere(unlink(join(folder, name)))
  return undefined
}

/** Moves the modification time of our own file, which may have another name or none by now. */
const beating = (file: FileHandle): Effect.Effect<void> =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep(beat),
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.ignore(attempt("no sign of life", () => file.utimes(now / 1000, now / 1000)))
      )
    )
  )

/** Whether an owner's process is known to be gone. */
const isGone = async (path: string): Promise<boolean> => {
  const [pid, place] = ((await ifThere(readFile(path, "utf8"))) ?? "").split("\n")
  return place === (await machine()) && !isRunning(Number(pid))
}

/** Removes a file whose owner is dead. @returns whether it was */
const buried = async (folder: string, name: string, seen: Map<string, Seen>, now: bigint): Promise<boolean> => {
  const path = join(folder, name)
  const stats = await ifThere(stat(path))
  if (stats === undefined) return true
  const before = seen.get(name)
  const stands = before?.modified === stats.mtimeMs
  if (!stands) seen.set(name, { modified: stats.mtimeMs, since: now })
  const isDead = (stands && now - before.since >= silence) || (await isGone(path))
  if (isDead) await ifThere(unlink(path))
  return isDead
}

/** Waits for our turn. @returns whether it came; we were taken for dead where it did not */
const awaited = (folder: string, lock: string, { name }: Turn): Effect.Effect<boolean, StoreFailure> =>
  Effect.gen(function* () {
    const seen = new Map<string, Seen>()
    let pause = patience.first
    let clear = 0
    while (clear < 2) {
      const now = yield* Clock.monotonicTimeNanos
      const [isOurs, before] = yield* attempt(`the locks in ${folder} cannot be read`, async () => {
        const names = await namesIn(folder, lock)
        const before = names.filter((other) => other < name)
        const dead = await Promise.all(before.map((other) => buried(folder, other, seen, now)))
        return [names.includes(name), before.filter((_, at) => dead[at] !== true)] as const
      })
      if (!isOurs) return false
      if (before.length > 0) {
        clear = 0
        yield* Effect.sleep(pause * (1 - (yield* Random.next) / 2))
        pause = Math.min(pause * 1.5, patience.last)
      } else {
        // A list that was read while a file changed its name may lack it; the next one has it.
        clear++
      }
    }
    return true
  })

const ended = (folder: string, { beating, file, name }: Turn): Effect.Effect<void> =>
  Effect.andThen(
    Fiber.interrupt(beating),
    Effect.ignore(
      attempt(`${name} cannot be removed`, async () => {
        await file.close()
        await unlink(join(folder, name))
      })
    )
  )

const begun = (folder: string, lock: string): Effect.Effect<Turn | undefined, StoreFailure> =>
  Effect.gen(function* () {
    const draw = yield* attempt(`no lock can be made in ${folder}`, () => drawn(folder, lock))
    return draw === undefined ? undefined : { ...draw, beating: yield* Effect.forkDetach(beating(draw.file)) }
  })

/** Runs an effect while no other process, and no other user of the folder, runs one under the same lock. */
export const inTurn = <A, E, R>(
  folder: string,
  lock: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreFailure, R> =>
  Effect.acquireUseRelease(
    begun(folder, lock),
    (turn): Effect.Effect<Option.Option<A>, E | StoreFailure, R> =>
      turn === undefined
        ? Effect.succeedNone
        : Effect.flatMap(awaited(folder, lock, turn), (isOurs) =>
            isOurs ? Effect.asSome(effect) : Effect.succeedNone
          ),
    (turn) => (turn === undefined ? Effect.void : ended(folder, turn))
  ).pipe(Effect.flatMap((done) => (Option.isSome(done) ? Effect.succeed(done.value) : inTurn(folder, lock, effect))))

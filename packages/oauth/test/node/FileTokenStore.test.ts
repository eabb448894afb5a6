import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { makeFileStore, type FileStoreSettings } from "../../src/node/FileTokenStore.ts"
import { storeDirectory } from "../../src/node/StoreDirectory.ts"
import type { TokenStore } from "../../src/TokenStore.ts"
import { bytesIn, filesIn, folder, sealedIn } from "./fixtures/folder.ts"

const token = "refresh-token-of-ann"

/** A store in a new directory, which it makes itself. */
const made = (settings: FileStoreSettings = {}) =>
  Effect.map(folder, (path) => {
    const directory = join(path, "state", "oauth")
    return { directory, store: makeFileStore({ directory, ...settings }) }
  })

const valueOf = (store: TokenStore, key: string) =>
  Effect.map(store.read(key), (kept) => (kept === undefined ? undefined : Redacted.value(kept)))

const write = (store: TokenStore, key: string, value = token) => store.write(key, Redacted.make(value))

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

const posix = it.effect.skipIf(process.platform === "win32")

describe("a store in files", () => {
  it.effect("keeps, replaces and forgets, for every store of the directory", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      assert.isUndefined(yield* store.read("a"))
      assert.isFalse(yield* store.remove("a"))
      assert.isFalse(existsSync(directory), "reading and forgetting nothing makes nothing")
      yield* write(store, "a", "né\u0000€")
      const other = makeFileStore({ directory })
      assert.strictEqual(yield* valueOf(other, "a"), "né\u0000€")
      yield* write(other, "a", "")
      assert.strictEqual(yield* valueOf(store, "a"), "")
      assert.isTrue(yield* store.remove("a"))
      assert.isFalse(yield* store.remove("a"))
      assert.isUndefined(yield* other.read("a"))
    })
  )

  it.effect("W149: never confuses two keys, whatever text they are", () =>
    Effect.gen(function* () {
      const { store } = yield* made()
      const keys = [
        "",
        "a/b",
        "a_b",
        "../a",
        "A",
        "a",
        "a\u0000",
        "\ud800",
        "\udfff",
        "\ufffd",
        "é",
        "e\u0301",
        "x".repeat(5_000)
      ]
      for (const [at, key] of keys.entries()) yield* write(store, key, `token ${at}`)
      for (const [at, key] of keys.entries()) assert.strictEqual(yield* valueOf(store, key), `token ${at}`)
    })
  )

  posix("W147 AUTH-32: makes directories 0700 and files 0600, and leaves nothing else behind", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      yield* write(store, "a")
      yield* write(store, "a", "another")
      assert.deepStrictEqual([join(directory, ".."), directory, join(directory, "locks")].map(modeOf), [
        "700",
        "700",
        "700"
      ])
      const files = filesIn(directory).toSorted()
      assert.deepStrictEqual(files, [sealedIn(directory), join(directory, "key")].toSorted())
      assert.deepStrictEqual(files.map(modeOf), ["600", "600"])
    })
  )

  posix("AUTH-32: refuses a directory and a file that others could get at, and changes neither", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      mkdirSync(directory, { recursive: true })
      chmodSync(directory, 0o755)
      const open = yield* Effect.flip(write(store, "a"))
      assert.strictEqual(
        open.message,
        `the token store failed: ${directory} has the rights 755, so that others could get at it; chmod it 700, or name another`
      )
      assert.strictEqual(modeOf(directory), "755")
      assert.deepStrictEqual(readdirSync(directory), [])
      assert.strictEqual((yield* Effect.flip(store.exclusive("a", Effect.void))).message, open.message)

      chmodSync(directory, 0o700)
      yield* write(store, "a")
      const key = join(directory, "key")
      chmodSync(key, 0o640)
      const readable = yield* Effect.flip(store.read("a"))
      assert.include(readable.message, `${key} has the rights 640`)
      chmodSync(key, 0o600)
      assert.strictEqual(yield* valueOf(store, "a"), token)
    })
  )

  it.effect("W147 W159: shows neither key nor value in any file or name, nor itself when it is printed", () =>
    Effect.gen(function* () {
      const secret = "a-secret-from-the-keychain"
      for (const settings of [{}, { secret: Redacted.make(secret) }]) {
        const { directory, store } = yield* made(settings)
        yield* write(store, "https://as.example")
        const bytes = bytesIn(directory)
        assert.isAbove(bytes.length, 100)
        for (const text of [token, "as.example", secret]) {
          for (const coding of ["utf8", "utf16le", "hex", "base64"] as const) {
            const coded = coding === "utf16le" ? Buffer.from(text, coding) : Buffer.from(text).toString(coding)
            assert.isFalse(bytes.includes(coded), `${text} as ${coding}`)
          }
        }
        const kept = yield* store.read("https://as.example")
        const printed = [store, kept].map(
          (it) => `${inspect(it, { depth: 9, showHidden: true })}${JSON.stringify(it)}${it}`
        )
        assert.notMatch(printed.join(), /refresh|keychain/)
      }
    })
  )

  it.effect("seals anew each time, so that the same value never looks the same", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      const seals = new Set<string>()
      for (let times = 0; times < 3; times++) {
        yield* write(store, "a")
        const bytes = readFileSync(sealedIn(directory))
        // Behind the mark come salt and nonce.
        seals.add(bytes.subarray(17, 49).toString("hex")).add(bytes.subarray(49, 61).toString("hex"))
        seals.add(bytes.subarray(77).toString("hex"))
      }
      assert.strictEqual(seals.size, 9)
    })
  )

  it.effect("keeps a value of 64 KiB, and refuses a longer one", () =>
    Effect.gen(function* () {
      const { store } = yield* made()
      const largest = "é".repeat(32 * 1024)
      yield* write(store, "a", largest)
      const failed = yield* Effect.flip(write(store, "a", `${largest}x`))
      assert.strictEqual(
        failed.message,
        "the token store failed: a value of 65537 bytes is longer than 65536, and is not kept"
      )
      assert.strictEqual(yield* valueOf(store, "a"), largest)
    })
  )

  it.effect("W155: forgets what is expected, and leaves alone what was written meanwhile", () =>
    Effect.gen(function* () {
      const { store } = yield* made()
      yield* write(store, "a", "new")
      assert.isFalse(yield* store.remove("a", Redacted.make("old")))
      assert.strictEqual(yield* valueOf(store, "a"), "new")
      assert.isTrue(yield* store.remove("a", Redacted.make("new")))
      assert.isUndefined(yield* store.read("a"))
    })
  )

  it.effect("lets whoever holds a key exclusively read, write and forget it", () =>
    Effect.gen(function* () {
      const { store } = yield* made()
      const inside = Effect.andThen(write(store, "a"), store.remove("a", Redacted.make(token)))
      assert.isTrue(yield* store.exclusive("a", inside))
    })
  )
})

describe("a damaged store in files", () => {
  it.effect("W148: has nothing kept where any byte was changed, added or cut off", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      yield* write(store, "a")
      const file = sealedIn(directory)
      const whole = readFileSync(file)
      for (let at = 0; at < whole.length; at++) {
        const changed = Buffer.from(whole)
        changed[at]! ^= 1 << (at % 8)
        writeFileSync(file, changed)
        assert.isUndefined(yield* store.read("a"), `byte ${at}`)
      }
      for (let length = 0; length < whole.length; length += 3) {
        writeFileSync(file, whole.subarray(0, length))
        assert.isUndefined(yield* store.read("a"), `${length} bytes`)
      }
      for (const other of [Buffer.concat([whole, Buffer.of(0)]), Buffer.alloc(200_000), Buffer.from("{}")]) {
        writeFileSync(file, other)
        assert.isUndefined(yield* store.read("a"))
      }
      truncateSync(file, 2 ** 32)
      assert.isUndefined(yield* store.read("a"), "4 GiB")
      assert.isFalse(yield* store.remove("a"), "what cannot be opened is nothing to forget")
      assert.isFalse(existsSync(file), "but it is gone")
      writeFileSync(file, whole, { mode: 0o600 })
      assert.strictEqual(yield* valueOf(store, "a"), token)
    })
  )

  it.effect("W148: has nothing kept under a key whose file was swapped with that of another", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      yield* write(store, "a")
      const first = sealedIn(directory)
      const aside = join(directory, "aside")
      renameSync(first, aside)
      yield* write(store, "b")
      const second = sealedIn(directory)
      renameSync(second, first)
      renameSync(aside, second)
      assert.isUndefined(yield* store.read("a"))
      assert.isUndefined(yield* store.read("b"))
      renameSync(second, first)
      assert.strictEqual(yield* valueOf(store, "a"), token)
    })
  )

  it.effect("W148: has nothing kept with another secret or without one, and goes on from there", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      yield* write(store, "a")
      const key = join(directory, "key")
      const first = readFileSync(key)
      renameSync(key, join(directory, "aside"))
      assert.isUndefined(yield* store.read("a"))
      yield* write(store, "b", "of b")
      assert.isFalse(readFileSync(key).equals(first))
      assert.isUndefined(yield* store.read("a"))
      assert.strictEqual(yield* valueOf(store, "b"), "of b")
      const other = makeFileStore({ directory, secret: Redacted.make(new Uint8Array(32)) })
      assert.isUndefined(yield* other.read("b"))
      yield* write(other, "b", "of the other")
      assert.isUndefined(yield* store.read("b"))
    })
  )

  it.effect("says what to do about a damaged key", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      yield* write(store, "a")
      const key = join(directory, "key")
      for (const bytes of [0, 31, 33]) {
        writeFileSync(key, Buffer.alloc(bytes))
        const damaged = `the token store failed: ${key} is damaged; remove it, and log in again`
        assert.strictEqual((yield* Effect.flip(store.read("a"))).message, damaged)
        assert.strictEqual((yield* Effect.flip(write(store, "a"))).message, damaged)
      }
    })
  )

  const wrong: ReadonlyArray<readonly [object, string]> = [
    [{ secret: Redacted.make("hunter2") }, "secret has 7 bytes, and needs 16 or more"],
    [{ secret: "" }, "secret must be Redacted.make(…)"],
    [{ secret: "a-secret-from-the-keychain" }, "secret must be Redacted.make(…)"],
    [{ secret: Redacted.make(undefined) }, "secret must be Redacted.make(…)"],
    [{ directory: "" }, "directory must be the path of a directory"],
    [{ folder: "/tmp" }, "folder: there is no such setting; there are directory, secret"]
  ]
  it.each(wrong)("is not made with settings that cannot work: %j %s", (settings, why) => {
    assert.throws(() => makeFileStore(settings), TypeError, why)
  })

  it.effect("removes temporary files that nobody writes any more", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      yield* write(store, "a")
      const [old, young] = ["old.tmp", "young.tmp"].map((name) => join(directory, name))
      for (const [at, path] of [old!, young!].entries()) {
        writeFileSync(path, "half")
        utimesSync(path, at, at)
      }
      yield* TestClock.setTime(600_001)
      yield* write(store, "b")
      assert.isFalse(existsSync(old!))
      assert.isTrue(existsSync(young!))
    })
  )

  it.effect("fails where it cannot be written, with what it could not do and why", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      mkdirSync(join(directory, ".."))
      writeFileSync(directory, "in the way")
      const failed = yield* Effect.flip(write(store, "a"))
      assert.strictEqual(failed.message, `the token store failed: ${directory} cannot be made: EEXIST`)
      assert.notMatch(inspect(failed, { depth: 9, showHidden: true }), /refresh/)
    })
  )

  it.effect("leaves what is kept, and no temporary file, where a write fails", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* made()
      yield* write(store, "a")
      const file = sealedIn(directory)
      renameSync(file, join(directory, "aside"))
      mkdirSync(join(file, "in the way"), { recursive: true })
      assert.include((yield* Effect.flip(write(store, "a"))).message, `${file} cannot be written`)
      assert.deepStrictEqual(
        readdirSync(directory).filter((name) => name.endsWith(".tmp")),
        []
      )
    })
  )
})

describe("the default directory", () => {
  it.each([
    ["linux", { XDG_STATE_HOME: "/var/state" }, "/var/state/treadle/oauth"],
    ["linux", { XDG_STATE_HOME: "state" }, "/home/ann/.local/state/treadle/oauth"],
    ["linux", { XDG_STATE_HOME: "" }, "/home/ann/.local/state/treadle/oauth"],
    ["linux", {}, "/home/ann/.local/state/treadle/oauth"],
    ["darwin", { XDG_STATE_HOME: "/var/state" }, "/var/state/treadle/oauth"],
    ["darwin", {}, "/home/ann/Library/Application Support/treadle/oauth"],
    ["win32", { LOCALAPPDATA: String.raw`D:\Local` }, String.raw`D:\Local\treadle\oauth`],
    ["win32", {}, String.raw`\home\ann\AppData\Local\treadle\oauth`]
  ] as const)("on %s with %o is %s", (platform, env, path) => {
    assert.strictEqual(storeDirectory({ platform, env, home: "/home/ann" }), path)
  })
})

/** Secrets of a Node process, with a real environment and real files. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Secret } from "@treadle/agent"
import { NodeSecrets } from "@treadle/agent/node"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "treadle-secrets-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const store = NodeSecrets.layer({ env: { NAME: "alpha", EMPTY: "", LINE: "alpha\n" } })
const resolved = (text: string) =>
  Effect.map(Secret.resolve(Result.getOrThrow(Secret.parse(text))), Redacted.value).pipe(Effect.provide(store))
const failed = (text: string) => Effect.map(Effect.flip(resolved(text)), ({ message }) => message)

describe("NodeSecrets", () => {
  it.effect("reads environment variables as they are", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* resolved("{{secret:NAME}}"), "alpha")
      assert.strictEqual(yield* resolved("{{secret:LINE}}"), "alpha\n")
    })
  )

  it.effect("reads the environment of the process by default", () =>
    Effect.gen(function* () {
      const path = Result.getOrThrow(Secret.parse("{{secret:PATH}}"))
      const value = yield* Secret.resolve(path).pipe(Effect.provide(NodeSecrets.layer()))
      assert.strictEqual(Redacted.value(value), process.env["PATH"])
    })
  )

  it.effect("A164: says which variable is not set; an empty one is not", () =>
    Effect.gen(function* () {
      for (const name of ["GONE", "EMPTY", "toString"]) {
        const message = yield* failed(`{{secret:${name}}}`)
        assert.strictEqual(message, `{{secret:${name}}} cannot be read: the environment variable ${name} is not set`)
      }
    })
  )

  it.effect("reads a file without one line end at its end", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "key")
      for (const [content, value] of [
        ["beta", "beta"],
        ["beta\n", "beta"],
        ["beta\r\n", "beta"],
        ["beta\n\n", "beta\n"],
        ["beta\r", "beta\r"],
        [" b\neta ", " b\neta "]
      ] as const) {
        writeFileSync(path, content)
        assert.strictEqual(yield* resolved(`{{secret-file:${path}}}`), value, JSON.stringify(content))
      }
    })
  )

  it.effect("A167: reads a file anew each time", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "key")
      writeFileSync(path, "before")
      assert.strictEqual(yield* resolved(`Bearer {{secret-file:${path}}}`), "Bearer before")
      writeFileSync(path, "after")
      assert.strictEqual(yield* resolved(`Bearer {{secret-file:${path}}}`), "Bearer after")
    })
  )

  it.effect("A164, A166: names the file that cannot be read, and tells nothing of what is in it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const path = join(directory, "key")
      const cannot = (why: string, at = path) => `{{secret-file:${at}}} cannot be read: ${why}`
      assert.strictEqual(yield* failed(`{{secret-file:${path}}}`), cannot("there is no such file"))
      assert.strictEqual(yield* failed(`{{secret-file:${directory}}}`), cannot("it is a directory", directory))
      writeFileSync(path, "")
      assert.strictEqual(yield* failed(`{{secret-file:${path}}}`), cannot("it is empty"))
      writeFileSync(path, new Uint8Array([0x68, 0xff]))
      assert.strictEqual(yield* failed(`{{secret-file:${path}}}`), cannot("the file is not UTF-8"))
      writeFileSync(path, "x".repeat(64 * 1024 + 1))
      assert.strictEqual(yield* failed(`{{secret-file:${path}}}`), cannot("the file is larger than 65536 bytes"))
      writeFileSync(path, "x".repeat(64 * 1024))
      assert.lengthOf(yield* resolved(`{{secret-file:${path}}}`), 64 * 1024)
    })
  )
})

/**
 * Secrets of a Node process: `{{secret:NAME}}` is an environment variable, `{{secret-file:PATH}}` a file. Both are read
 * each time, so that a rotated file is the new value (A167).
 */
import { open } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SecretError, SecretStore, type SecretReference } from "../Secret.ts"

/** Settings of the store. */
export interface NodeSecretSettings {
  /** The environment; that of the process by default. */
  readonly env?: { readonly [name: string]: string | undefined }
}

/** The largest file that is taken for a secret, in bytes. */
const fileLimit = 64 * 1024

/** What a file that cannot be read is like; the words of the platform are not told. */
const reasons: { readonly [code: string]: string } = {
  ENOENT: "there is no such file",
  EACCES: "this user may not read the file",
  EPERM: "this user may not read the file",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is no directory"
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown ? String(thrown.code) : "the platform does not say why"

const readUpTo = async (path: string): Promise<Uint8Array> => {
  const file = await open(path, "r")
  try {
    const buffer = new Uint8Array(fileLimit + 1)
    let size = 0
    for (let read = -1; read !== 0 && size < buffer.length; size += read) {
      ;({ bytesRead: read } = await file.read(buffer, size, buffer.length - size))
    }
    return buffer.subarray(0, size)
  } finally {
    await file.close()
  }
}

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const readFile = (reference: SecretReference): Effect.Effect<Redacted.Redacted, SecretError> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: () => readUpTo(reference.name),
      catch: (thrown) => new SecretError({ reference, why: reasons[codeOf(thrown)] ?? codeOf(thrown) })
    }),
    (bytes) => {
      if (bytes.length > fileLimit) {
        return Effect.fail(new SecretError({ reference, why: `the file is larger than ${fileLimit} bytes` }))
      }
      const text = textOf(bytes)
      return text === undefined
        ? Effect.fail(new SecretError({ reference, why: "the file is not UTF-8" }))
        : Effect.succeed(Redacted.make(text.replace(/\r?\n$/, "")))
    }
  )

/** A variable that is empty counts as not set. */
const readVariable = (
  reference: SecretReference,
  value: string | undefined
): Effect.Effect<Redacted.Redacted, SecretError> =>
  value === undefined || value === ""
    ? Effect.fail(new SecretError({ reference, why: `the environment variable ${reference.name} is not set` }))
    : Effect.succeed(Redacted.make(value))

/**
 * The store of the process. One line end at the end of a file is not part of the secret.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 * import * as Result from "effect/Result"
 * import { Secret } from "@treadle/agent"
 * import { NodeSecrets } from "@treadle/agent/node"
 *
 * const key = Result.getOrThrow(Secret.parse("{{secret:API_KEY}}"))
 * const env = { API_KEY: "k-1" }
 * Redacted.value(Effect.runSync(Secret.resolve(key).pipe(Effect.provide(NodeSecrets.layer({ env }))))) // => "k-1"
 * ```
 */
const layer = (settings: NodeSecretSettings = {}): Layer.Layer<SecretStore> =>
  Layer.succeed(
    SecretStore,
    SecretStore.of({
      read: (reference) =>
        reference.kind === "secret-file"
          ? readFile(reference)
          : Effect.suspend(() => {
              const env = settings.env ?? process.env
              return readVariable(reference, Object.hasOwn(env, reference.name) ? env[reference.name] : undefined)
            })
    })
  )

/** Secrets of a Node process. */
export const NodeSecrets = { layer }

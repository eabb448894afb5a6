/**
 * Secrets by reference: settings say `{{secret:NAME}}` or `{{secret-file:PATH}}` in place of a value. A text is parsed
 * once, and its references are read whenever the value is needed, so that a rotated secret is the new one (A164, A167).
 *
 * Where names and files are read from is a `SecretStore`; that of Node is in `@treadle/agent/node`.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { nearestNames } from "@treadle/protocol/json"

/** The kinds of references. */
const kinds = ["secret", "secret-file"] as const

/** Where one secret is: `secret` has a name, such as that of an environment variable; `secret-file` has a path. */
export interface SecretReference {
  readonly kind: (typeof kinds)[number]
  /** The name or the path. */
  readonly name: string
}

/** A text with references, in order. It holds no secret, unless somebody wrote one between its references. */
export interface SecretTemplate {
  readonly parts: ReadonlyArray<string | SecretReference>
}

/** A text that is no template, or a credential that is written where a reference belongs. The text is not told. */
export class SecretProblem extends Data.TaggedError("SecretProblem")<{
  readonly why: string
  /** The character at which it is, counted from 0. */
  readonly at: number
}> {
  override get message(): string {
    return this.why
  }
}

/** A secret that could not be read. It names the reference, and never a value. */
export class SecretError extends Data.TaggedError("SecretError")<{
  readonly reference: SecretReference
  readonly why: string
}> {
  override get message(): string {
    return `${printReference(this.reference)} cannot be read: ${this.why}`
  }
}

/**
 * Reads secrets. A store keeps nothing of what it read, and no failure of it tells a value.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 * import * as Result from "effect/Result"
 * import { Secret, SecretStore } from "@treadle/agent"
 *
 * const template = Result.getOrThrow(Secret.parse("Bearer {{secret:API_KEY}}"))
 * const header = Effect.runSync(
 *   Secret.resolve(template).pipe(Effect.provide(SecretStore.layerNames({ API_KEY: "k-1" })))
 * )
 * String(header) // => "<redacted:{{secret:API_KEY}}>"
 * Redacted.value(header) // => "Bearer k-1"
 * ```
 */
export class SecretStore extends Context.Service<
  SecretStore,
  { readonly read: (reference: SecretReference) => Effect.Effect<Redacted.Redacted, SecretError> }
>()("@treadle/agent/SecretStore") {
  /** A store of the named secrets that it is given, and of no files. */
  static readonly layerNames = (names: { readonly [name: string]: string | Redacted.Redacted }) =>
    Layer.succeed(
      SecretStore,
      SecretStore.of({
        read: (reference) => {
          const value = reference.kind === "secret" && Object.hasOwn(names, reference.name) && names[reference.name]
          if (value === false || value === undefined) {
            return Effect.fail(new SecretError({ reference, why: "this store has no such secret; add it" }))
          }
          return Effect.succeed(typeof value === "string" ? Redacted.make(value) : value)
        }
      })
    )
}

/** A reference as it is written. */
const printReference = ({ kind, name }: SecretReference): string => `{{${kind}:${name}}}`

const known = kinds.map((kind) => `{{${kind}:…}}`).join(" and ")

/** A kind as it is told: what looks like no word may be a secret in the wrong place. */
const told = (kind: string): string => (/^[a-z][a-z-]{0,15}$/.test(kind) ? `of the kind "${kind}"` : "of no known kind")

/** @param inside what is between the braces */
const referenceOf = (inside: string, at: number): Result.Result<SecretReference, SecretProblem> => {
  const colon = inside.indexOf(":")
  const before = (colon < 0 ? "" : inside.slice(0, colon)).trim()
  const kind = kinds.find((one) => one === before)
  const problem = (why: string) =>
    Result.fail(new SecretProblem({ at, why: `the reference at character ${at} ${why}` }))
  if (kind === undefined) return problem(`is ${told(before)}; there are ${known}`)
  const name = inside.slice(colon + 1).trim()
  if (name === "") return problem(`names nothing; write {{${kind}:${kind === "secret" ? "NAME" : "PATH"}}}`)
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  if (/[\u0000-\u001f\u007f{}]/.test(name)) return problem("has a name with a brace or a control character")
  return Result.succeed({ kind, name })
}

/** Where the next reference begins, or -1. */
type NextReference = (text: string, from: number) => number

/** Every pair of braces is a reference. */
const everyBrace: NextReference = (text, from) => text.indexOf("{{", from)

/**
 * Braces that are meant as a reference: what is in them begins with "secret", in any case, or has a kind that is written
 * nearly so. Others are of whoever reads the text.
 */
const meantBraces: NextReference = (text, from) => {
  for (let open = text.indexOf("{{", from); open >= 0; open = text.indexOf("{{", open + 1)) {
    const [inside = ""] = text.slice(open + 2).split("}}", 1)
    if (/^\s*secret/i.test(inside)) return open
    const [, word] = /^\s*([a-z-]{1,32})\s*:/i.exec(inside) ?? []
    if (word !== undefined && nearestNames(word, kinds).length > 0) return open
  }
  return -1
}

const parsedBy = (text: string, next: NextReference): Result.Result<SecretTemplate, SecretProblem> => {
  const parts: Array<string | SecretReference> = []
  let start = 0
  for (let open = next(text, 0); open >= 0; open = next(text, start)) {
    const close = text.indexOf("}}", open)
    if (close < 0) {
      const why = `the braces at character ${open} do not end; write {{secret:NAME}} or {{secret-file:PATH}}`
      return Result.fail(new SecretProblem({ at: open, why }))
    }
    const reference = referenceOf(text.slice(open + 2, close), open)
    if (Result.isFailure(reference)) return Result.fail(reference.failure)
    if (open > start) parts.push(text.slice(start, open))
    parts.push(reference.success)
    start = close + 2
  }
  if (start < text.length || parts.length === 0) parts.push(text.slice(start))
  return Result.succeed({ parts })
}

/**
 * Parses a text; one without references is one literal part.
 *
 * @returns the template, or what is wrong: braces that do not end, a kind that does not exist, a reference without a name
 *
 * @example
 * ```ts
 * import * as Result from "effect/Result"
 * import { Secret } from "@treadle/agent"
 *
 * Result.map(Secret.parse("Bearer {{secret:API_KEY}}"), ({ parts }) => parts)
 * // => Result.succeed(["Bearer ", { kind: "secret", name: "API_KEY" }])
 * Result.getFailure(Secret.parse("{{env:API_KEY}}"))._tag // => "Some"
 * ```
 */
const parse = (text: string): Result.Result<SecretTemplate, SecretProblem> => parsedBy(text, everyBrace)

/**
 * Parses a text of a program that may have templates of its own, such as `{{name}}`, which stay as they are. What was
 * nearly written as a reference is told of, as `{{secrets:NAME}}`.
 */
export const parseAmongOthers = (text: string): Result.Result<SecretTemplate, SecretProblem> =>
  parsedBy(text, meantBraces)

/** Whether a template has a reference. */
const hasReference = ({ parts }: SecretTemplate): boolean => parts.some((part) => typeof part !== "string")

/**
 * Whether a header of this name carries a credential by its shape: `Authorization`, `Cookie`, and names that are or end in
 * `key`, `token`, `secret` or `password`.
 *
 * @example
 * ```ts
 * import { Secret } from "@treadle/agent"
 *
 * Secret.isCredentialHeader("X-Api-Key") // => true
 * Secret.isCredentialHeader("Accept") // => false
 * ```
 */
const isCredentialHeader = (name: string): boolean =>
  /^(?:(?:.*[-_])?(?:authorization|api-?key|key|token|secret|password)|cookie)$/i.test(name.trim())

/**
 * Parses the value of a header, where a credential is only taken by reference (A165).
 *
 * @example
 * ```ts
 * import * as Result from "effect/Result"
 * import { Secret } from "@treadle/agent"
 *
 * Result.isFailure(Secret.parseHeader("Authorization", "Bearer abc")) // => true
 * Result.isSuccess(Secret.parseHeader("Authorization", "Bearer {{secret:API_KEY}}")) // => true
 * Result.isSuccess(Secret.parseHeader("Accept", "text/plain")) // => true
 * ```
 */
const parseHeader = (name: string, text: string): Result.Result<SecretTemplate, SecretProblem> =>
  Result.flatMap(parse(text), (template) =>
    isCredentialHeader(name) && !hasReference(template)
      ? Result.fail(
          new SecretProblem({
            at: 0,
            why: `the header ${JSON.stringify(name)} carries a credential, which is not written out; refer to it by ${known}`
          })
        )
      : Result.succeed(template)
  )

/** What is shown in place of a value: its references, and none of its text. */
const label = ({ parts }: SecretTemplate): string =>
  parts.map((part) => (typeof part === "string" ? "" : printReference(part))).join("")

/**
 * Reads what a template refers to, now; an empty secret counts as missing.
 *
 * @returns the whole text; printed it shows its references
 */
const resolve = (template: SecretTemplate): Effect.Effect<Redacted.Redacted, SecretError, SecretStore> =>
  Effect.map(
    Effect.forEach(template.parts, (part) => (typeof part === "string" ? Effect.succeed(part) : read(part))),
    (texts) => Redacted.make(texts.join(""), { label: label(template) })
  )

const read = (reference: SecretReference): Effect.Effect<string, SecretError, SecretStore> =>
  SecretStore.use((store) =>
    Effect.filterOrFail(
      Effect.map(store.read(reference), Redacted.value),
      (value) => value !== "",
      () => new SecretError({ reference, why: "it is empty" })
    )
  )

/** A run without a store has no secrets; the failure says which one it wanted. */
const noStore = SecretStore.of({
  read: (reference) =>
    Effect.fail(
      new SecretError({
        reference,
        why: "no SecretStore is provided; provide NodeSecrets.layer() of @treadle/agent/node, or give it as the option `secrets`"
      })
    )
})

/** Reads what a text refers to, now, from the store that the run is provided with. */
export const resolvedNow = (
  template: Result.Result<SecretTemplate, SecretProblem>
): Effect.Effect<Redacted.Redacted, SecretError | SecretProblem> =>
  Effect.flatMap(Effect.serviceOption(SecretStore), (store) =>
    Effect.provideService(
      Effect.flatMap(Effect.fromResult(template), resolve),
      SecretStore,
      Option.getOrElse(store, () => noStore)
    )
  )

/** Secrets by reference. */
export const Secret = { parse, parseHeader, hasReference, isCredentialHeader, resolve, print: printReference }

/**
 * Settings of a model behind HTTP, and the service that they name. All that is wrong with them is told at once, and no
 * message shows a value that may be a secret.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { JsonObject } from "@treadle/protocol/json"
import { isLoopbackHost } from "../Loopback.ts"
import { Secret, SecretStore, type SecretError, type SecretReference } from "../Secret.ts"

/** Sends one HTTP request. The global `fetch` fits. */
export type SendModelRequest = (request: Request) => Promise<Response>

/** Settings of a model behind HTTP; times are in milliseconds, sizes in bytes. */
export interface ModelSettings {
  /** Where the service is, such as `https://api.openai.com/v1`; the path of the wire is added where it is missing. */
  readonly url: string | URL
  /** The model, by the name that the service has for it. */
  readonly model: string
  /**
   * What the service knows you by: a `Redacted`, or a text with a reference, such as `{{secret:OPENAI_API_KEY}}`, which is
   * read for each call from the `SecretStore`. None by default, as local services want it.
   */
  readonly key?: string | Redacted.Redacted
  /**
   * Sent with every call. Texts may have references as `key` has; a credential is not written out. Those of the wire
   * cannot be replaced.
   */
  readonly headers?: { readonly [name: string]: string | Redacted.Redacted }
  /** The most tokens that one answer may have. */
  readonly maxTokens?: number
  /** How much chance is in the answers; the service decides by default. */
  readonly temperature?: number
  /** More fields for the body of each request, such as `{ reasoning_effort: "low" }`. Ours win. */
  readonly body?: JsonObject
  /** How long the service may be silent: until the whole answer, or between two pieces of a stream. 5 minutes by default. */
  readonly timeout?: number
  /** The largest answer that is read, whole or in a stream: 16 MiB by default. */
  readonly bodyLimit?: number
  /** The global `fetch` by default. */
  readonly fetch?: SendModelRequest
}

/** Settings that no model can be made of: every problem, in the order of the settings. */
export class ModelSettingsError extends Data.TaggedError("ModelSettingsError")<{
  /** The adapter, such as `OpenAiCompat`. */
  readonly adapter: string
  readonly problems: ReadonlyArray<string>
}> {
  override get message(): string {
    return `${this.adapter} is not made: ${this.problems.join("; ")}`
  }
}

type References<Value> = Value extends string
  ? string extends Value
    ? SecretStore
    : Value extends `${string}{{${string}`
      ? SecretStore
      : never
  : never

/** The `SecretStore`, where settings refer to a secret or may do so. */
export type SecretsOf<Settings extends Pick<ModelSettings, "key" | "headers">> =
  | References<Settings["key"]>
  | References<NonNullable<Settings["headers"]>[keyof NonNullable<Settings["headers"]>]>

/** Headers with their values, and those of the values that are not to be told. */
export interface SentHeaders {
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly secrets: ReadonlyArray<string>
}

/** A service as requests see it. */
export interface ModelPeer {
  readonly adapter: string
  readonly url: URL
  /** The address as messages show it: without a query. */
  readonly shown: string
  /** Reads the secrets anew. */
  readonly headers: Effect.Effect<SentHeaders, SecretError>
  readonly hasKey: boolean
  readonly timeout: number
  readonly bodyLimit: number
  readonly fetch: SendModelRequest
}

/** What an adapter adds to the settings. */
export interface ModelWire {
  readonly adapter: string
  /** The header of the key, and what is written before the key. */
  readonly keyHeader: readonly [name: string, prefix: string]
  readonly headers: { readonly [name: string]: string }
  /** @returns the path of the wire below the path of the setting `url` */
  readonly path: (path: string) => string
}

const defaults = { timeout: 300_000, bodyLimit: 16 * 1024 * 1024 }

const urlOf = (given: string | URL, wire: ModelWire, problems: Array<string>): URL => {
  const text = String(given)
  if (!URL.canParse(text)) {
    problems.push("`url` is no URL; write one such as https://models.example/v1")
    return new URL("https://invalid.invalid")
  }
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") problems.push("`url` must begin with https:// or http://")
  if (url.username !== "" || url.password !== "") problems.push("`url` has credentials in it; give them as `key`")
  url.pathname = wire.path(url.pathname.replace(/\/+$/, ""))
  url.hash = ""
  return url
}

/** A header, whose value is written in parts; those that are no text are secret. */
interface HeaderEntry {
  readonly name: string
  readonly parts: ReadonlyArray<string | SecretReference | Redacted.Redacted>
}

const headerEntry = (name: string, value: string | Redacted.Redacted, problems: Array<string>): HeaderEntry => {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    problems.push(`${JSON.stringify(name)} in \`headers\` is no name of a header`)
  if (Redacted.isRedacted(value)) return { name, parts: [value] }
  const parsed = Secret.parseHeader(name, String(value))
  if (Result.isSuccess(parsed)) return { name, parts: parsed.success.parts }
  problems.push(`\`headers\`: ${parsed.failure.message}`)
  return { name, parts: [] }
}

const keyEntry = (
  key: string | Redacted.Redacted,
  [name, prefix]: ModelWire["keyHeader"],
  problems: Array<string>
): HeaderEntry => {
  if (Redacted.isRedacted(key)) return { name, parts: [prefix, key] }
  const parsed = Secret.parse(String(key))
  if (Result.isFailure(parsed)) problems.push(`\`key\`: ${parsed.failure.message}`)
  else if (Secret.hasReference(parsed.success)) return { name, parts: [prefix, ...parsed.success.parts] }
  else problems.push("`key` is written out; give Redacted.make(key), or a reference such as {{secret:NAME}}")
  return { name, parts: [] }
}

const isSecret = ({ parts }: HeaderEntry): boolean => parts.some((part) => typeof part !== "string")

const refersTo = ({ parts }: HeaderEntry): boolean =>
  parts.some((part) => typeof part !== "string" && !Redacted.isRedacted(part))

const checkNumbers = (settings: ModelSettings, problems: Array<string>): void => {
  for (const name of ["maxTokens", "timeout", "bodyLimit"] as const) {
    const value = settings[name]
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) problems.push(`\`${name}\` must be above 0`)
  }
  const { temperature } = settings
  if (temperature !== undefined && !(Number.isFinite(temperature) && temperature >= 0)) {
    problems.push("`temperature` must be 0 or more")
  }
}

const readPart = (
  part: HeaderEntry["parts"][number],
  store: SecretStore["Service"]
): Effect.Effect<string, SecretError> => {
  if (typeof part === "string") return Effect.succeed(part)
  const read = Redacted.isRedacted(part)
    ? Effect.succeed(part)
    : Effect.provideService(Secret.resolve({ parts: [part] }), SecretStore, store)
  return Effect.map(read, Redacted.value)
}

const readHeader = ({ name, parts }: HeaderEntry, store: SecretStore["Service"]) =>
  Effect.map(
    Effect.forEach(parts, (part) => readPart(part, store)),
    (texts) => ({
      header: [name, texts.join("")] as const,
      // A secret may have its scheme in front of it, such as `Bearer`.
      secrets: texts
        .filter((_, index) => typeof parts[index] !== "string")
        .flatMap((text) => [text.trim(), text.trim().split(" ").at(-1) ?? ""])
    })
  )

/** Where nothing is to be read. */
const noStore = SecretStore.of({ read: () => Effect.die("settings with references were made without a store") })

/** The service that settings name, or all that is wrong with them. */
export const makePeer = (settings: ModelSettings, wire: ModelWire): Effect.Effect<ModelPeer, ModelSettingsError> =>
  Effect.flatMap(Effect.serviceOption(SecretStore), (found) => {
    const problems: Array<string> = []
    const url = urlOf(settings.url, wire, problems)
    if (typeof settings.model !== "string" || settings.model === "") problems.push("`model` is missing")
    const own = Object.entries(wire.headers).map(([name, value]): HeaderEntry => ({ name, parts: [value] }))
    const given = Object.entries(settings.headers ?? {}).map(([name, value]) => headerEntry(name, value, problems))
    const key = settings.key === undefined ? [] : [keyEntry(settings.key, wire.keyHeader, problems)]
    const entries = [...given, ...key, ...own]
    checkNumbers(settings, problems)
    if (url.protocol === "http:" && !isLoopbackHost(url.hostname) && entries.some(isSecret)) {
      problems.push("a secret would be sent in clear to `url`; use https://, or a loopback address")
    }
    if (entries.some(refersTo) && Option.isNone(found)) {
      problems.push("it refers to secrets, and no SecretStore is provided")
    }
    if (problems.length > 0) return Effect.fail(new ModelSettingsError({ adapter: wire.adapter, problems }))
    const store = Option.getOrElse(found, () => noStore)
    return Effect.succeed<ModelPeer>({
      adapter: wire.adapter,
      url,
      shown: `${url.origin}${url.pathname}`,
      headers: Effect.map(
        Effect.forEach(entries, (entry) => readHeader(entry, store)),
        (read) => ({
          headers: read.map(({ header }) => header),
          secrets: read.flatMap(({ secrets }) => secrets)
        })
      ),
      hasKey: entries.some(({ name }) => Secret.isCredentialHeader(name)),
      timeout: settings.timeout ?? defaults.timeout,
      bodyLimit: settings.bodyLimit ?? defaults.bodyLimit,
      fetch: settings.fetch ?? ((request) => globalThis.fetch(request))
    })
  })

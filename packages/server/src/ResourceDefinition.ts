/**
 * What an author says of resources and templates of resources, and what reading one may give.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */
import type { PureSchema, Simplify } from "@treadle/protocol/endpoint"
import type {
  Annotations,
  BlobResourceContents,
  CacheHint,
  Icon,
  Meta,
  TextResourceContents
} from "@treadle/protocol/schema"
import type { Completers, KnownOnly } from "./Completer.ts"

/** What resources and templates have in common. */
export interface ReadDefinition<in Ctx> {
  /** For programs; see `title` for people. */
  readonly name: string
  readonly title?: string
  /** For the model: what it holds. */
  readonly description?: string
  /** The media type of the contents, where they do not say another; of a template only if all of them share it. */
  readonly mimeType?: string
  readonly icons?: ReadonlyArray<Icon>
  readonly annotations?: Annotations
  /** `_meta` of the listed entry. */
  readonly meta?: Meta
  /** How long what was read stays fresh, in milliseconds, and for whom: 0 and `private` by default. */
  readonly cache?: Partial<CacheHint>
  /** Whether a caller sees it and may read it. */
  readonly visible?: (context: Ctx) => boolean
  /**
   * Scopes of OAuth that a caller needs over HTTP, all of them; one without is refused with 403 and told which
   * (AUTH-22). Who sees the entry is up to `visible`.
   */
  readonly scopes?: ReadonlyArray<string>
  /** Milliseconds after which a read is interrupted and answered with -32603 in words. No limit by default. */
  readonly timeout?: number
}

/** A resource. */
export interface ResourceDefinition<in Ctx> extends ReadDefinition<Ctx> {
  /** With its scheme, as in `box-office://board`; `https:` only for what a client can fetch by itself (RES-09). */
  readonly uri: string
  /** Bytes, before any encoding. */
  readonly size?: number
}

/** Schemas of text: what they decode is a string. */
export interface TextFields {
  readonly [name: string]: TextField
}

/** A schema whose encoded form is a string. */
export type TextField<T = unknown> = PureSchema<T> & { readonly Encoded: string }

/** A template of resources. */
export interface TemplateDefinition<T extends string, V, C, in Ctx> extends ReadDefinition<Ctx> {
  /** RFC 6570 without prefixes and explosion, as in `box-office://shows/{id}{?day}`. */
  readonly uriTemplate: T
  /** What variables are decoded by; one that is not named stays text. A URI whose variables do not fit is not found. */
  readonly variables?: V & KnownOnly<V, VariableName<T>, "variables">
  readonly complete?: C & Completers<VariableName<T>, Ctx> & KnownOnly<C, VariableName<T>, "variables">
}

/** One item of what was read. */
export type ReadItem =
  | TextResourceContents
  | (Omit<BlobResourceContents, "blob"> & {
      /** Bytes, or their Base64. */
      readonly blob: string | Uint8Array
    })

/**
 * What reading gives: text, bytes, or one or several items that say their own URI. `undefined` says that there is
 * nothing of this URI, which the caller is told as an error (RES-05).
 */
export type ReadBody = string | Uint8Array | ReadItem | ReadonlyArray<ReadItem> | undefined

type Sign = "#" | "." | "/" | ";" | "?" | "&"
type Expression<T> = T extends `${string}{${infer Body}}${infer Rest}` ? Body | Expression<Rest> : never
type Listed<B> = B extends `${infer N},${infer Rest}` ? N | Listed<Rest> : B
type First<B> = B extends `${infer N},${string}` ? N : B
type Later<B> = B extends `${string},${infer Rest}` ? Listed<Rest> : never
type Plain<B> = B extends `+${infer Body}` ? Body : B
type Unsigned<B> = B extends `${Sign}${string}` ? never : Plain<B>
type Signed<B> = B extends `${Sign}${infer Body}` ? Body : never

/** Always there in a URI that matches: the first name of an expression without a sign. */
type RequiredName<T> = First<Unsigned<Expression<T>>>
/** Left out where the URI leaves it out. */
type OptionalName<T> = Later<Unsigned<Expression<T>>> | Listed<Signed<Expression<T>>>

/** The names of the variables of a template. */
export type VariableName<T extends string> = string extends T ? string : RequiredName<T> | OptionalName<T>

type Value<V, N> = N extends keyof V ? (V[N] extends { readonly Type: infer A } ? A : string) : string

/** Names whose schema has a default. */
type Defaulted<V> = {
  [N in keyof V]: V[N] extends { readonly "~type.optionality": "optional" }
    ? never
    : V[N] extends { readonly "~encoded.optionality": "optional" }
      ? N
      : never
}[keyof V]

/** The variables of a template that the compiler does not see: text, or those that have a schema. */
type UnseenVariables<V> = [keyof V] extends [never]
  ? { readonly [name: string]: string | undefined }
  : { readonly [N in keyof V]?: Value<V, N> }

/** What the reader of a template gets: its variables, decoded. */
export type Variables<T extends string, V> = string extends T
  ? UnseenVariables<V>
  : Simplify<
      { readonly [N in RequiredName<T> | (OptionalName<T> & Defaulted<V>)]: Value<V, N> } & {
        readonly [N in Exclude<OptionalName<T>, Defaulted<V>>]?: Value<V, N>
      }
    >

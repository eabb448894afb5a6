/**
 * What an author says of a prompt, and what getting one may give.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */
import type { PureSchema, Standard } from "@treadle/protocol/endpoint"
import { Content, type Icon, type Meta } from "@treadle/protocol/schema"
import type { Completers, KnownOnly } from "./Completer.ts"
import type { TextFields } from "./ResourceDefinition.ts"

type Texts = { readonly [name: string]: string | undefined }

/**
 * The arguments of a prompt, which always travel as text: fields, a schema of an object, or a Standard Schema with JSON
 * Schema.
 */
export type PromptArguments = TextFields | (PureSchema<object> & { readonly Encoded: Texts }) | Standard<Texts>

/** A prompt. */
export interface PromptDefinition<A, Names extends string, C, in Ctx> {
  /** For people who choose one: what it is for. */
  readonly description: string
  readonly title?: string
  readonly icons?: ReadonlyArray<Icon>
  /** `_meta` of the listed prompt. */
  readonly meta?: Meta
  readonly arguments?: A
  readonly complete?: C & Completers<Names, Ctx> & KnownOnly<C, Names, "arguments">
  /** Whether a caller sees the prompt and may get it. */
  readonly visible?: (context: Ctx) => boolean
  /**
   * Scopes of OAuth that a caller needs over HTTP, all of them; one without is refused with 403 and told which
   * (AUTH-22). Who sees the prompt is up to `visible`.
   */
  readonly scopes?: ReadonlyArray<string>
  /** Milliseconds after which getting it is interrupted and answered with -32603 in words. No limit by default. */
  readonly timeout?: number
}

/** One message of a prompt that an author makes. */
export interface PromptMessage {
  readonly role: "user" | "assistant"
  readonly content: Content
}

/** What a prompt gives: the text of one user message, or messages; an empty list is a prompt without any. */
export type PromptBody = string | PromptMessage | ReadonlyArray<PromptMessage>

const said = (role: PromptMessage["role"], content: string | Content): PromptMessage => ({
  role,
  content: typeof content === "string" ? Content.text(content) : content
})

/**
 * Makes the messages of a prompt.
 *
 * @example
 * ```ts
 * import { Prompt } from "@treadle/server"
 *
 * Prompt.user("Which shows are left tonight?")
 * // => { role: "user", content: { type: "text", text: "Which shows are left tonight?" } }
 * ```
 */
export const Prompt = {
  /** @param content text, or one block */
  user: (content: string | Content): PromptMessage => said("user", content),
  /** @param content text, or one block */
  assistant: (content: string | Content): PromptMessage => said("assistant", content)
}

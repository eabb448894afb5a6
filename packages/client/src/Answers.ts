/**
 * What a client answers when a server asks: a form or a page for a person, a completion by the client's model, the
 * folders it works in. A client declares what it has an answer for, and nothing else, in both eras.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitResult,
  FormRequest,
  Root,
  UrlRequest
} from "@treadle/protocol/schema"
import type { Eventual } from "./Eventual.ts"

/** Who asks, and during which request. Everything in it is a claim of the server's, never a basis of trust. */
export interface Asker {
  /** The address, the command or the name of the server. */
  readonly server: string
  /**
   * The request that it asks during, such as `tools/call`. Absent where the wire does not say: a compat server asks over
   * a pipe or over its own stream.
   */
  readonly method?: string
  /** The tool, the prompt or the URI of that request. */
  readonly name?: string
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/**
 * The answers of a client, each given once.
 *
 * @example
 * ```ts
 * import { decline, type Answers } from "@treadle/client"
 *
 * const answers: Answers = {
 *   form: ({ message }) => ({ action: "accept", content: { reason: `You asked: ${message}` } }),
 *   url: decline
 * }
 * Object.keys(answers) // => ["form", "url"]
 * ```
 */
export interface Answers {
  /**
   * Asks a person to fill in a form (ELIC-04). Of an accepted form, fields that are left out and have a default are
   * filled in, and what does not fit the form is not sent: the server's request is refused (ELIC-06).
   */
  readonly form?: (request: FormRequest, asker: Asker) => Eventual<ElicitResult>
  /**
   * Asks a person to visit a page: show the whole address and who asks, and open nothing without consent (ELIC-12,
   * ELIC-13).
   */
  readonly url?: (request: UrlRequest, asker: Asker) => Eventual<ElicitResult>
  /**
   * Lets the client's model complete a conversation (SAMP-01).
   *
   * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. Servers still ask for it.
   */
  readonly sampling?: (request: CreateMessageRequest, asker: Asker) => Eventual<CreateMessageResult>
  /** Which parts of sampling the handler understands; none by default (SAMP-02, SAMP-08). */
  readonly samplingParts?: ReadonlyArray<"tools" | "context">
  /**
   * The folders that this client works in (ROOT-01).
   *
   * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. Servers still ask for it.
   */
  readonly roots?: ReadonlyArray<Root> | ((asker: Asker) => Eventual<ReadonlyArray<Root>>)
}

/** Answers that the person does not want to. */
export const decline = (): ElicitResult => ({ action: "decline" })

/** What these answers let a client declare. */
export const declared = (
  { form, roots, sampling, samplingParts = [], url }: Answers,
  extensions: ClientCapabilities["extensions"]
): ClientCapabilities => {
  const modes = { ...(form === undefined ? {} : { form: {} }), ...(url === undefined ? {} : { url: {} }) }
  const parts = Object.fromEntries(samplingParts.map((part) => [part, {}]))
  return {
    ...(form === undefined && url === undefined ? {} : { elicitation: modes }),
    ...(sampling === undefined ? {} : { sampling: parts }),
    ...(roots === undefined ? {} : { roots: {} }),
    ...(extensions === undefined ? {} : { extensions })
  }
}

/**
 * What a handler may ask of the client while it runs: a person, in a form or on a page, the client's model, or the folders
 * it works in. A value of this kind says what is asked, what the client must be able to do, and how its answer is read.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { JsonObject, Misfit } from "@treadle/protocol/json"
import {
  formAnswer,
  formSchema,
  ServerRequest,
  type ClientAnswer,
  type CreateMessageRequest,
  type CreateMessageResult,
  type ElicitResult,
  type FormRequest,
  type FormSource,
  type RootsResult
} from "@treadle/protocol/schema"

/** The methods that can be asked. */
export type AskMethod = "elicitation/create" | "sampling/createMessage" | "roots/list"

/** A question to the client. `A` is what its answer becomes. */
export interface Ask<out A> {
  readonly request: ServerRequest<AskMethod>
  /** The capabilities that the client must have declared. */
  readonly requires: JsonObject
  /** Reads the answer: its value, or every problem in it. */
  readonly read: (answer: unknown) => Result.Result<A, Misfit>
}

/** What a person did with a form: filled it in, said no, or closed it. */
export type FormAnswer<A> =
  | { readonly action: "accept"; readonly content: A }
  | { readonly action: "decline" | "cancel" }

/** What a person did with a page to visit. `accept` means that it was opened, not that anything was done there. */
export interface UrlAnswer {
  readonly action: "accept" | "decline" | "cancel"
}

const reader =
  <M extends AskMethod>(method: M) =>
  (answer: unknown): Result.Result<ClientAnswer<M>, Misfit> =>
    ServerRequest.decodeAnswer(method, answer)

const readElicitation = reader("elicitation/create")

/**
 * Asks a person to fill in a form (ELIC-04 to ELIC-07). Never ask for secrets or payment data in one: use `Ask.url`.
 *
 * @param question `message` says why; `fields` are schemas of strings, numbers, booleans and choices, whose `default`
 *   annotations are offered
 * @throws TypeError where a field cannot be asked for in a form, with every problem and its cure
 *
 * @example
 * ```ts
 * import { Ask } from "@treadle/server"
 * import * as Schema from "effect/Schema"
 *
 * const ask = Ask.form({ message: "How many seats?", fields: { seats: Schema.Int.annotate({ default: 2 }) } })
 * ask.request.params
 * // => { message: "How many seats?", requestedSchema: { type: "object", properties: { seats: { type: "integer", default: 2 } }, required: ["seats"] } }
 * ```
 */
const form = <const F extends Schema.Struct.Fields>(question: {
  readonly message: string
  readonly fields: F
}): Ask<FormAnswer<Schema.Struct<F>["Type"]>> => {
  type Filled = FormAnswer<Schema.Struct<F>["Type"]>
  const source = Schema.Struct(question.fields) as unknown as FormSource<Schema.Struct<F>["Type"]>
  const requestedSchema = formSchema(source)
  if (Result.isFailure(requestedSchema)) {
    const problems = requestedSchema.failure.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`))
    throw new TypeError(`Ask.form cannot ask for these fields: ${problems.join("; ")}`)
  }
  const content = formAnswer(source)
  return {
    request: ServerRequest.elicit({ message: question.message, requestedSchema: requestedSchema.success }),
    requires: { elicitation: { form: {} } },
    read: (answer) =>
      Result.flatMap(readElicitation(answer), ({ action, content: given }) =>
        action === "accept"
          ? Result.map(content(given ?? undefined), (filled): Filled => ({ action, content: filled }))
          : Result.succeed<Filled>({ action })
      )
  }
}

/**
 * Asks a person to fill in a form that is written as the wire has it. What comes back is checked for its form only, not
 * against the schema.
 *
 * @example
 * ```ts
 * import { Ask } from "@treadle/server"
 *
 * const ask = Ask.elicit({ message: "Sure?", requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } } })
 * ask.request.method // => "elicitation/create"
 * ```
 */
const elicit = (request: FormRequest): Ask<ElicitResult> => ({
  request: ServerRequest.elicit(request),
  requires: { elicitation: { form: {} } },
  read: readElicitation
})

/**
 * Asks a person to visit a page (ELIC-10, ELIC-15): for secrets, payments and consent, which the client must not see.
 * Once what happens there is over, `complete(key)` of the call tells the client so.
 *
 * Where a session's request cannot be asked while it runs, it is answered with -32042 and the page instead: the client
 * sends it again once the page was visited, so ask only for what is not done yet.
 *
 * @param question `message` says why; `url` holds no data of the person and no link that logs in by itself (ELIC-11)
 * @throws TypeError where `url` is no absolute URL
 *
 * @example
 * ```ts
 * import { Ask } from "@treadle/server"
 *
 * Ask.url({ message: "Pay for the seats", url: "https://box.example/pay/7" }).requires // => { elicitation: { url: {} } }
 * ```
 */
const url = (question: { readonly message: string; readonly url: string }): Ask<UrlAnswer> => {
  if (!URL.canParse(question.url)) {
    throw new TypeError(
      `Ask.url cannot send anyone to ${JSON.stringify(question.url)}: give an absolute URL, such as https://box.example/pay`
    )
  }
  return {
    request: ServerRequest.elicit({ mode: "url", message: question.message, url: question.url }),
    requires: { elicitation: { url: {} } },
    read: (answer) => Result.map(readElicitation(answer), ({ action }) => ({ action }))
  }
}

/**
 * Asks the client's model for a message (SAMP-01). The client needs `sampling.tools` where tools are offered, and
 * `sampling.context` where context is to be included (SAMP-02, SAMP-08).
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. Call a model of your own instead.
 *
 * @example
 * ```ts
 * import { Ask } from "@treadle/server"
 *
 * const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Hello" } }]
 * Ask.sample({ messages, maxTokens: 100 }).requires // => { sampling: {} }
 * ```
 */
const sample = (request: CreateMessageRequest): Ask<CreateMessageResult> => {
  const { includeContext, toolChoice, tools } = request
  const offersTools = tools !== undefined || toolChoice !== undefined
  const wantsContext = includeContext !== undefined && includeContext !== "none"
  return {
    request: ServerRequest.createMessage(request),
    requires: { sampling: { ...(offersTools ? { tools: {} } : {}), ...(wantsContext ? { context: {} } : {}) } },
    read: reader("sampling/createMessage")
  }
}

/**
 * Asks for the folders that the client works in: guidance, never access control (ROOT-01 to ROOT-03).
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. Take folders as arguments instead.
 *
 * @example
 * ```ts
 * import { Ask } from "@treadle/server"
 *
 * Ask.roots().request // => { method: "roots/list", params: {} }
 * ```
 */
const roots = (): Ask<RootsResult> => ({
  request: ServerRequest.listRoots(),
  requires: { roots: {} },
  read: reader("roots/list")
})

/** Makes questions to the client. */
export const Ask = { form, elicit, url, sample, roots }

/**
 * What goes wrong with a request, as one of the reasons of `AiError`. Texts of the service are told in part, in one line,
 * and without the secrets that were sent.
 */
import * as Duration from "effect/Duration"
import * as AiError from "effect/ai/AiError"
import { own, parseJson } from "@treadle/protocol/json"
import { printJson, textAt } from "./Members.ts"

/** What failures tell of the exchange. */
export interface Exchange {
  /** The address without its query. */
  readonly shown: string
  readonly hasKey: boolean
  /** Takes secrets out of a text. */
  readonly censor: (text: string) => string
}

/** A refusal as it came. */
export interface Refusal {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** How many characters of a text from outside are told. */
const excerptLength = 300

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()

/** The beginning of a text from outside. Secrets are taken out before it is cut, or a part of one would be left. */
export const excerpt = (text: string, { censor }: Exchange): string => {
  const line = oneLine(censor(text))
  return line.length > excerptLength ? `${line.slice(0, excerptLength)}…` : line
}

/** No answer came, or it broke. */
export const unreachable = (exchange: Exchange, why: string): AiError.NetworkError =>
  new AiError.NetworkError({
    reason: "TransportError",
    method: "POST",
    url: exchange.shown,
    description: excerpt(why, exchange)
  })

export const causeText = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error && cause.cause.message !== ""
    ? `${cause.message}: ${cause.cause.message}`
    : cause.message
}

/** An answer that is none of the wire. */
export const invalid = (exchange: Exchange, why: string): AiError.InvalidResponseError =>
  new AiError.InvalidResponseError({ description: `${why} (POST ${exchange.shown})` })

/** How long the service wants to be left alone, in milliseconds: in seconds or as a date (RFC 9110, 10.2.3). */
export const retryAfterOf = ({ header, now }: Pick<Refusal, "header" | "now">): number | undefined => {
  const millis = header("retry-after-ms")
  if (millis !== null && /^\d{1,12}(?:\.\d+)?$/.test(millis)) return Number(millis)
  const text = header("retry-after")
  if (text === null) return undefined
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  const said = Date.parse(header("date") ?? "")
  return Number.isNaN(at) ? undefined : Math.max(0, at - (Number.isNaN(said) ? now : said))
}

/** What a body says of the error, in the ways in which services write it. */
interface Said {
  readonly message: string | undefined
  readonly code: string
}

const errorIn = (json: unknown): Said | undefined => {
  const error = own(json, "error")
  if (typeof error === "string") return { message: error, code: "" }
  const holder = typeof error === "object" && error !== null ? error : json
  const message = textAt(holder, "message") ?? textAt(holder, "detail")
  if (holder === json && message === undefined) return undefined
  const code = own(holder, "code")
  const words = [textAt(holder, "type"), typeof code === "number" ? String(code) : textAt(holder, "code")]
  return { message, code: words.filter((word) => word !== undefined).join(" ") }
}

/** The status that an error would have had, had it not come within an answer. */
const statusOf = (code: string): number => {
  const number = /\b[45]\d\d\b/.exec(code)
  if (number !== null) return Number(number[0])
  const [, status] = wordStatus.find(([word]) => word.test(code)) ?? []
  return status ?? 500
}

const wordStatus: ReadonlyArray<readonly [RegExp, number]> = [
  [/rate_limit|insufficient_quota/, 429],
  [/overloaded/, 529],
  [/timeout/, 504],
  [/authentication|invalid_api_key/, 401],
  [/permission/, 403],
  [/billing/, 402],
  [/not_found/, 404],
  [/too_large/, 413],
  [/invalid_request|content_filter|content_policy|context_length/, 400]
]

/** An error within an answer: in a stream that has begun, or with the status 200. */
export const saidFailure = (exchange: Exchange, json: unknown): AiError.AiErrorReason => {
  const said = errorIn(json)
  const status = statusOf(said?.code ?? "")
  return classify(exchange, { status, header: () => null, text: printJson(json), now: 0 }, said)
}

/** Why a response with another status than 200 is a failure. */
export const refused = (exchange: Exchange, refusal: Refusal): AiError.AiErrorReason =>
  classify(exchange, refusal, errorIn(parseJson(refusal.text)))

const moved = (exchange: Exchange, { header, status }: Refusal): AiError.AiErrorReason =>
  new AiError.NetworkError({
    reason: "InvalidUrlError",
    method: "POST",
    url: exchange.shown,
    description: `HTTP ${status}: it moved to ${excerpt(header("location") ?? "an address it does not tell", exchange)}; set \`url\` to that, if you trust it`
  })

/** Whether waiting does not help: the account has no money or no quota left. */
const isSpent = (code: string, status: number): boolean => status === 402 || /insufficient_quota|billing/.test(code)

const classify = (exchange: Exchange, refusal: Refusal, said: Said | undefined): AiError.AiErrorReason => {
  const { header, status, text } = refusal
  if (status >= 300 && status < 400) return moved(exchange, refusal)
  const words = excerpt(said?.message ?? text, exchange)
  const description = `HTTP ${status}${words === "" ? "" : `: ${words}`} (POST ${exchange.shown})`
  const retryAfter = retryAfterOf(refusal)
  const id = header("x-request-id") ?? header("request-id")
  const facts = {
    http: {
      response: { status, headers: id === null ? {} : { "request-id": excerpt(id, exchange) } },
      ...(text === "" ? {} : { body: excerpt(text, exchange) })
    },
    metadata: { treadle: { status, ...(retryAfter === undefined ? {} : { retryAfter }) } }
  }
  const code = said?.code ?? ""
  if (isSpent(code, status)) return new AiError.QuotaExhaustedError(facts)
  if (status === 401) {
    return new AiError.AuthenticationError({
      kind: exchange.hasKey ? "InvalidKey" : "MissingKey",
      description,
      ...facts
    })
  }
  if (status === 403) return new AiError.AuthenticationError({ kind: "InsufficientPermissions", description, ...facts })
  if (status === 429) {
    return new AiError.RateLimitError({
      ...facts,
      ...(retryAfter === undefined ? {} : { retryAfter: Duration.millis(retryAfter) })
    })
  }
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return new AiError.InternalProviderError({ description, ...facts })
  }
  if (/content_filter|content_policy/.test(code)) return new AiError.ContentPolicyError({ description, ...facts })
  const cure = status === 404 || status === 405 ? "; check `url` and `model`" : ""
  return new AiError.InvalidRequestError({ description: `${description}${cure}`, ...facts })
}

/**
 * Responses of routes: values and declared errors as JSON, and anything else that went wrong as a problem (RFC 9457).
 *
 * This is the only place where a route's own status is chosen; what the door refuses has the status that it has for MCP.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as SchemaAST from "effect/SchemaAST"
import * as Schema from "effect/Schema"
import { errorSchemas, errorTag, type AnyEndpoint } from "@treadle/protocol/endpoint"
import { own, printSchema, type Json } from "@treadle/protocol/json"
import type { Answer } from "../engine/Sink.ts"
import type { Telling } from "../handler/OperationRun.ts"
import { statusOf } from "../transport/HttpStatus.ts"

/** The media type of problems. */
export const problemType = "application/problem+json"

/** The media type of text. Without the charset a browser shows other letters than were meant. */
const textType = "text/plain; charset=utf-8"

/** Which problems a route answers with, and what each is called. */
export const problemTitles = {
  400: "The request does not fit",
  401: "A token is needed",
  403: "The request is not allowed",
  404: "There is nothing here",
  405: "This verb is not served here",
  413: "The body is too large",
  414: "The path is too long",
  415: "The body must be JSON",
  422: "The operation says no",
  429: "Too many calls are running",
  500: "Internal error",
  501: "The operation asks its caller, and a route cannot be asked",
  503: "The server is not available",
  504: "The operation took too long"
} as const

export type ProblemStatus = keyof typeof problemTitles

/** What is said of a problem beside its status. */
export interface ProblemWords {
  readonly detail?: string
  /** Everything that is wrong with the arguments. */
  readonly problems?: ReadonlyArray<string>
  /** What is found in the log of the server. */
  readonly reference?: string
}

export type Headers = Readonly<Record<string, string>>

/** A response that says what went wrong. */
export const problem = (
  status: ProblemStatus,
  { detail, problems, reference }: ProblemWords,
  headers: Headers = {}
): HttpServerResponse.HttpServerResponse => {
  const body = {
    title: problemTitles[status],
    status,
    ...(detail === undefined ? {} : { detail }),
    ...(problems === undefined ? {} : { problems }),
    ...(reference === undefined ? {} : { reference })
  }
  return HttpServerResponse.text(JSON.stringify(body), { status, contentType: problemType, headers })
}

const isProblemStatus = (status: number): status is ProblemStatus => Object.hasOwn(problemTitles, status)

/** A bug in a handler: a fixed text, whose reference leads to the log. */
export const diedProblem = (reference: string): HttpServerResponse.HttpServerResponse =>
  problem(500, { detail: `Internal error (reference ${reference})`, reference })

/** What is not for a caller looks like what is not there. */
export const nowhere = problem(404, { detail: "Nothing is served at this path" })

/** The response to a request that was not admitted, or whose operation did not end by itself. */
export const answerProblem = (answer: Answer): HttpServerResponse.HttpServerResponse => {
  const { challenge, error } = answer
  const detail = error === undefined ? {} : { detail: error.message }
  if (answer.refused !== undefined) {
    const status = statusOf(answer)
    return problem(
      isProblemStatus(status) ? status : 500,
      detail,
      challenge === undefined ? {} : { "www-authenticate": challenge }
    )
  }
  switch (error?._tag) {
    case "MethodNotFound":
      return nowhere
    case "MissingClientCapability":
      return problem(501, { detail: "Call it as a tool over MCP, with a client that answers questions" })
    default:
      return problem(500, detail)
  }
}

const statusAnnotation = SchemaAST.resolveAt<number>("httpApiStatus")

/** The status that the author has given a schema. */
const annotated = (schema: unknown): number | undefined =>
  Schema.isSchema(schema) ? statusAnnotation(schema.ast) : undefined

/** The status of a value of the declared output. */
export const successStatus = ({ def }: AnyEndpoint): number => annotated(def.output) ?? 200

/** The status of declared errors that have no other. */
export const errorStatus = 422

/** The status of each declared error, in the order of definition, with the tag that tells it apart. */
export const errorStatuses = ({
  def
}: AnyEndpoint): ReadonlyArray<{ readonly tag: string | undefined; readonly status: number }> =>
  errorSchemas(def.errors).map((schema) => ({
    tag: errorTag(printSchema(schema)),
    status: annotated(schema) ?? errorStatus
  }))

const json = (value: Json, status: number): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(value), { status, contentType: "application/json" })

/** What a call of an endpoint came to, as a response. */
export const routeTelling = (endpoint: AnyEndpoint): Telling<HttpServerResponse.HttpServerResponse, never> => {
  const success = successStatus(endpoint)
  const statuses = new Map(errorStatuses(endpoint).map(({ status, tag }) => [tag, status]))
  return {
    value: (value, wrapped) => json(wrapped ? (own(value, "value") as Json) : value, success),
    text: (text, { content = [] }) => {
      if (content.length > 0) {
        const blocks = [...(text === "" ? [] : [{ type: "text", text }]), ...content]
        return json({ content: blocks as unknown as ReadonlyArray<Json> } as Json, 200)
      }
      return text === ""
        ? HttpServerResponse.empty({ status: 204 })
        : HttpServerResponse.text(text, { contentType: textType })
    },
    declared: (error) => json(error, statuses.get(own(error, "_tag") as string | undefined) ?? errorStatus),
    failed: (detail) => problem(422, { detail }),
    unfit: (problems) => Effect.succeed(problem(400, { detail: `Invalid arguments for ${endpoint.name}`, problems }))
  }
}

/**
 * Questions as they are sent: in the words of the revision, and with what a session has beside them.
 */
import * as Result from "effect/Result"
import type { Revision } from "@treadle/protocol/era"
import { ServerRequest, type UrlRequest } from "@treadle/protocol/schema"
import type { AskMethod } from "../../Ask.ts"

/** A question as a revision has it, or the fields of its form that the revision cannot ask for. */
export const inRevision = (
  revision: Revision,
  request: ServerRequest<AskMethod>
): Result.Result<ServerRequest<AskMethod>, ReadonlyArray<string>> => {
  if (request.method !== "elicitation/create" || request.params.mode === "url") return Result.succeed(request)
  const { params } = request
  return Result.map(revision.form(params.requestedSchema), (requestedSchema) =>
    ServerRequest.elicit({ ...params, requestedSchema })
  )
}

/** A page to visit as a session has it: with an id (ELIC-10). Nothing, where something else is asked. */
export const visit = ({ method, params }: ServerRequest<AskMethod>): UrlRequest | undefined =>
  method === "elicitation/create" && params.mode === "url"
    ? { ...params, elicitationId: globalThis.crypto.randomUUID() }
    : undefined

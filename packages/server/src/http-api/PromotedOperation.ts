/**
 * The handler of a promoted operation: a request for its arguments, run through the api, and what its response says.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { isRecord, schemaProblems } from "@treadle/protocol/json"
import { CurrentCall } from "../CurrentCall.ts"
import type { ToolFailed } from "../ToolError.ts"
import type { ApiOperation } from "./ApiOperation.ts"
import type { ArgumentTable } from "./ArgumentTable.ts"
import { callerHeaders } from "./CallerHeaders.ts"
import { inProcess, type Outcome } from "./InProcess.ts"
import { misfit, operationRequest, type Addresses } from "./OperationRequest.ts"

/** What a value is without the headers beside it. */
const bare = (value: unknown): unknown =>
  isRecord(value) && Object.hasOwn(value, HttpApiSchema.WithHeadersValueTypeId) ? value["body"] : value

/** What the api finds wrong with a request, where it is the request. */
const unfit = (tool: string, cause: Cause.Cause<unknown>): ToolFailed | undefined => {
  for (const reason of cause.reasons) {
    if (reason._tag !== "Die" || !HttpApiSchemaError.is(reason.defect)) continue
    const { kind, cause } = reason.defect
    if (kind !== "Body" && kind !== "ResponseHeaders") return misfit(tool, schemaProblems(cause.issue))
  }
  return undefined
}

/** The router has no such route: it is not the one of the api, or the path arguments do not suit the path. */
const lost = (tool: string, { endpoint, group }: ApiOperation, cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  if (!HttpServerError.isHttpServerError(error) || error.reason._tag !== "RouteNotFound") return undefined
  const { description } = error.reason
  if (description !== undefined) return Effect.fail(misfit(tool, [description]))
  return endpoint.path.includes("(")
    ? Effect.fail(misfit(tool, [`the path arguments do not suit ${endpoint.path}`]))
    : Effect.die(
        new Error(
          `${tool} runs ${group.identifier}.${endpoint.identifier}, and ${endpoint.method} ${endpoint.path} is not ` +
            "in this router. Serve HttpApiBuilder.layer of the api in the same HttpRouter, or provide HttpApiTools.layer."
        )
      )
}

/** There is no router at all: the types say so, and what was cast does not. */
const routerless = (tool: string, name: string) =>
  Effect.die(
    new Error(
      `${tool} runs ${name}, and there is no HttpRouter that has it. Serve it with McpRouter or HttpRoutes in the ` +
        "router of the api, or give it mcp.provide(HttpApiTools.layer(ApiLive))."
    )
  )

/** The handler of a tool. */
export const promotedOperation = (
  tool: string,
  operation: ApiOperation,
  table: ArgumentTable,
  addresses: Addresses
): ((args: Readonly<Record<string, unknown>>) => Effect.Effect<unknown, unknown, CurrentCall>) => {
  const { api, endpoint, group } = operation
  const name = `${group.identifier}.${endpoint.identifier}`
  const decode = HttpApiClient.decodeResponse(api, { group: group.identifier, endpoint: endpoint.identifier })
  const request = operationRequest(tool, operation, table, addresses)

  const undeclared = ({ cause, response }: Outcome, error: unknown): Effect.Effect<never> =>
    cause === undefined
      ? Effect.die(new Error(`${name} answered ${response.status}, which the api does not declare`, { cause: error }))
      : Effect.failCause(cause as Cause.Cause<never>)

  const answered = (outcome: Outcome): Effect.Effect<unknown, unknown> => {
    const { cause, response } = outcome
    const wrong = cause === undefined ? undefined : unfit(tool, cause)
    if (wrong !== undefined) return Effect.fail(wrong)
    const nowhere = cause === undefined ? undefined : lost(tool, operation, cause)
    if (nowhere !== undefined) return nowhere
    return Effect.matchEffect(decode(response) as Effect.Effect<unknown, unknown>, {
      onSuccess: (value) => Effect.succeed(bare(value)),
      onFailure: (error) =>
        HttpClientError.isHttpClientError(error) || Schema.isSchemaError(error)
          ? undeclared(outcome, error)
          : Effect.fail(bare(error))
    })
  }

  return (args) =>
    Effect.flatMap(Effect.all([Effect.serviceOption(HttpRouter.HttpRouter), CurrentCall]), ([router, current]) =>
      router._tag === "None"
        ? routerless(tool, name)
        : Effect.flatMap(request(args, callerHeaders(current.sentHeaders())), (made) =>
            Effect.flatMap(inProcess(router.value, made), answered)
          )
    )
}

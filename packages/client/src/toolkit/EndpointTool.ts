/**
 * One contract as a tool of a toolkit: parameters, value and failures of a model's calls have the types of the contract.
 */
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  errorSchemas,
  type AnyEndpoint,
  type ErrorsDef,
  type FailureOf,
  type InputOf,
  type OutputOf
} from "@treadle/protocol/endpoint"
import { McpError } from "../McpError.ts"
import type { McpSession } from "../McpSession.ts"

/** The tool of a contract. What is no declared error is a failure in words. */
export type EndpointTool<X extends AnyEndpoint> = Tool.Tool<
  X["name"],
  {
    readonly parameters: Schema.Codec<InputOf<X>, unknown>
    readonly success: Schema.Codec<OutputOf<X>, unknown>
    readonly failure: Schema.Codec<FailureOf<X> | string, unknown>
    readonly failureMode: "return"
  }
>

/** The tools of contracts by their names. */
export type EndpointTools<E extends Record<string, AnyEndpoint>> = {
  readonly [K in keyof E as E[K]["name"]]: EndpointTool<E[K]>
}

/** Schemas of a contract need no services, which a definition of any kind does not say. */
const json = (schema: unknown): Schema.Codec<unknown> => Schema.toCodecJson(schema as Schema.Codec<unknown>)

/** What an author wrote for `input`, as one schema; undefined for a schema of another library. */
const parametersOf = ({ def }: AnyEndpoint): Schema.Codec<unknown> | undefined => {
  const { input }: { readonly input: unknown } = def
  if (input === undefined) return json(Tool.EmptyParams)
  if (Schema.isSchema(input)) return json(input)
  if (typeof input === "object" && input !== null && !("~standard" in input)) {
    return json(Object.keys(input).length === 0 ? Tool.EmptyParams : Schema.Struct(input as Schema.Struct.Fields))
  }
  return undefined
}

const successOf = ({ def }: AnyEndpoint): Schema.Codec<unknown> => {
  const { output }: { readonly output: unknown } = def
  if (output === undefined) return Schema.String as unknown as Schema.Codec<unknown>
  return Schema.isSchema(output) ? json(output) : (Schema.Unknown as Schema.Codec<unknown>)
}

const failureSchemaOf = ({ def }: AnyEndpoint): Schema.Codec<unknown> => {
  const { errors }: { readonly errors: ErrorsDef | undefined } = def
  return json(Schema.Union([...errorSchemas(errors), Schema.String]))
}

/** @param needsApproval whether a person has to approve each call */
export const endpointTool = <X extends AnyEndpoint>(endpoint: X, needsApproval: boolean): EndpointTool<X> => {
  const parameters = parametersOf(endpoint)
  const options = {
    description: endpoint.about.description,
    success: successOf(endpoint),
    failure: failureSchemaOf(endpoint),
    failureMode: "return",
    needsApproval
  } as const
  const tool: Tool.Any =
    parameters === undefined
      ? Tool.dynamic(endpoint.name, { ...options, parameters: endpoint.shape.inputSchema })
      : Tool.make(endpoint.name, { ...options, parameters })
  // Its schemas are made of the endpoint's own, which its type follows.
  return tool as unknown as EndpointTool<X>
}

/** Calls the tool of a contract. */
export const endpointCall =
  (session: McpSession, endpoint: AnyEndpoint) =>
  (args: unknown): Effect.Effect<unknown, unknown> =>
    Effect.mapError(session.call(endpoint)(args), (error: unknown) =>
      error instanceof McpError ? error.message : error
    )

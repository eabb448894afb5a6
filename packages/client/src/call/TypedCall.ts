/**
 * The typed side of a call before it is sent: what a caller may give for an endpoint, and its arguments as JSON.
 */
import * as Effect from "effect/Effect"
import type { AnyEndpoint, ArgsOf } from "@treadle/protocol/endpoint"
import { isJsonObject, type JsonObject } from "@treadle/protocol/json"
import { McpReason } from "../McpError.ts"

/** The parameters of a call: the input may be left out where nothing in it is required. */
export type Given<X extends AnyEndpoint, Options> =
  {} extends ArgsOf<X> ? [input?: ArgsOf<X>, options?: Options] : [input: ArgsOf<X>, options?: Options]

const misfit = (problems: ReadonlyArray<string>) =>
  new McpReason.Undecodable({ what: "the input", problems, notRun: true })

/**
 * The arguments that travel for an input. What does not fit is found here, before anything is sent.
 *
 * @param endpoint the contract
 * @param input the input, of which everything may be left out when nothing is required
 */
export const encodeArguments = (endpoint: AnyEndpoint, input: unknown): Effect.Effect<JsonObject, McpReason> =>
  Effect.filterOrFail(
    Effect.mapError(endpoint.shape.input.encode(input ?? {}), ({ problems }) => misfit(problems)),
    isJsonObject,
    () => misfit(["it must be an object"])
  )

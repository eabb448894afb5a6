/**
 * What a server answers to each typed request, for the reader of an answer.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { own, wireDecoder, type Misfit } from "../json/index.ts"
import type { ClientMethod } from "./ClientRequest.ts"
import { DiscoverResult } from "./Discover.ts"
import { ToolPage } from "./Page.ts"
import { ToolResult } from "./ToolResult.ts"

const results = {
  "server/discover": DiscoverResult,
  "tools/list": ToolPage,
  "tools/call": ToolResult
} as const satisfies { readonly [M in ClientMethod]: Schema.Top }

/** The result of a method. */
export type ServerResult<M extends ClientMethod> = (typeof results)[M]["Type"]

const decoders = new Map(
  Object.entries(results).map(([method, schema]) => [method, wireDecoder(schema as Schema.Codec<object>)])
)

/**
 * Reads the `result` member of an answer.
 *
 * An absent `resultType` is `complete` (BASE-09); one that neither the core nor a declared extension knows makes the
 * answer invalid (BASE-10).
 */
const decode = <M extends ClientMethod>(method: M, value: unknown): Result.Result<ServerResult<M>, Misfit> => {
  const type = own(value, "resultType")
  if (type !== undefined && type !== "complete") {
    return Result.fail({ problems: [`resultType ${JSON.stringify(type)} is not one this client understands`] })
  }
  const decoder = decoders.get(method)
  return decoder === undefined
    ? Result.fail({ problems: [`${method} has no typed result`] })
    : (decoder(value) as Result.Result<ServerResult<M>, Misfit>)
}

export const ServerResult = { decode }

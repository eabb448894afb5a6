/**
 * Which arguments of which tools are repeated in headers: what the last list said, and for a tool that was not listed
 * yet what the caller's own contract says (XHDR-06, XHDR-13).
 */
import * as Result from "effect/Result"
import { mirrorParams, paramHeaders, type ParamHeader } from "@treadle/protocol/http"
import type { JsonObject } from "@treadle/protocol/json"
import type { Tool } from "@treadle/protocol/schema"

/** A listed tool that must not be offered over HTTP, and every rule that its annotations break (XHDR-07). */
export interface RejectedTool {
  readonly name: string
  readonly problems: ReadonlyArray<string>
}

/** The mirrored parameters of one server's tools. */
export class ParamMirror {
  #known = new Map<string, ReadonlyArray<ParamHeader>>()

  /**
   * Learns a whole list, in place of the one before.
   *
   * @returns the tools to hand on, and those to leave out
   */
  learn(tools: ReadonlyArray<Tool>): {
    readonly tools: ReadonlyArray<Tool>
    readonly rejected: ReadonlyArray<RejectedTool>
  } {
    const known = new Map<string, ReadonlyArray<ParamHeader>>()
    const rejected: Array<RejectedTool> = []
    const kept = tools.filter(({ inputSchema, name }) => {
      const headers = paramHeaders(inputSchema)
      if (Result.isFailure(headers)) rejected.push({ name, problems: headers.failure })
      else known.set(name, headers.success)
      return Result.isSuccess(headers)
    })
    this.#known = known
    return { tools: kept, rejected }
  }

  /** The headers of one call. */
  headersOf(
    tool: string,
    args: JsonObject,
    declared: ReadonlyArray<ParamHeader>
  ): ReadonlyArray<readonly [string, string]> {
    return mirrorParams(this.#known.get(tool) ?? declared, args)
  }
}

/**
 * What follows from a call of a tool that got no result: whether it may be sent again, whether the tool or its server is
 * of any more use, and what the model is told. Pure.
 *
 * A result that says `isError` is no fault: the model reads it.
 */
import type { McpError } from "@treadle/client"
import { ErrorCode } from "@treadle/protocol/rpc"

export type FaultPolicy =
  /** The model is told, and the run goes on. */
  | { readonly _tag: "Tell" }
  /** It may be sent again, after this many milliseconds at least. */
  | { readonly _tag: "Again"; readonly after: number | undefined }
  /** The tool is not offered any more in this run. */
  | { readonly _tag: "Drop" }
  /** Its arguments were not taken, which the model may mend; after three in a row the tool is of no use to it. */
  | { readonly _tag: "Refused" }
  /** The server broke down, or the connection to it did, and the call may have been made; three in a row are a loss. */
  | { readonly _tag: "Broken" }
  /** The server is gone. */
  | { readonly _tag: "Lost" }

/** Failures in a row that make a server unusable, and refusals a tool. */
export const failuresInRow = 3

/** How often a call is sent at most. */
export const attempts = 3

const busy: ReadonlySet<number> = new Set([429, 503])

/**
 * @param safe whether the call may be sent twice, because its operator trusts that the tool is idempotent
 */
export const faultPolicy = (error: McpError, safe: boolean): FaultPolicy => {
  const { reason } = error
  const mayRepeat = error.notRun || safe
  switch (reason._tag) {
    case "Rpc":
      if (reason.code === ErrorCode.MethodNotFound) return { _tag: "Drop" }
      if (reason.code === ErrorCode.InvalidParams) return { _tag: "Refused" }
      if (reason.code === ErrorCode.InternalError) return { _tag: "Broken" }
      return busy.has(reason.status ?? 0) ? { _tag: "Again", after: undefined } : { _tag: "Tell" }
    case "Transport":
      // A server that says that it is busy did not take the call.
      if (busy.has(reason.status ?? 0)) return { _tag: "Again", after: reason.retryAfter }
      if (reason.status !== undefined) return { _tag: "Tell" }
      return mayRepeat ? { _tag: "Again", after: undefined } : { _tag: "Broken" }
    case "Closed":
      return mayRepeat ? { _tag: "Again", after: undefined } : { _tag: "Broken" }
    case "TimedOut":
      return safe ? { _tag: "Again", after: undefined } : { _tag: "Tell" }
    case "Unauthorized":
      return { _tag: "Lost" }
    default:
      return { _tag: "Tell" }
  }
}

/** Whether a server that could not be asked even after trying again is gone. */
export const isLoss = ({ reason }: McpError): boolean =>
  reason._tag === "Closed" || (reason._tag === "Transport" && reason.status === undefined)

/** What the model is told of a fault: no result of its tool, and marked as none. */
export const faultNotice = (server: string, tool: string, why: string, then: string): string =>
  `[protocol fault, no result of the tool] ${JSON.stringify(tool)} of server ${JSON.stringify(server)}: ${why}. ${then}`

/** Milliseconds before the next attempt: 100, doubling to 5,000, or what the server asks for within that. */
export const delayBefore = (attempt: number, asked: number | undefined, random: number): number => {
  const step = Math.min(100 * 2 ** (attempt - 1), 5_000)
  return asked === undefined ? step * (0.75 + random / 2) : Math.min(Math.max(asked, step), 5_000)
}

/**
 * A message of a server, read from its text.
 */
import * as Result from "effect/Result"
import { nestsDeeper, own, parseJson } from "@treadle/protocol/json"
import { Message, type RequestId } from "@treadle/protocol/rpc"
import { McpReason } from "../McpError.ts"

/** A text that is no message. */
export interface Unreadable {
  readonly why: string
  /** The request that it answers, where it only nests too deeply: nothing better will come for that. */
  readonly answers?: RequestId | undefined
}

/** @param nesting the most levels that it may have */
export const incoming = (text: string, nesting: number): Result.Result<Message, Unreadable> => {
  const json = parseJson(text)
  if (json === undefined) return Result.fail({ why: "it is not JSON" })
  return Result.mapError(Message.decode(json, nesting), ({ error, id }) => ({
    why: error.message,
    answers: nestsDeeper(json, nesting) && own(json, "method") === undefined ? id : undefined
  }))
}

/** Why a request fails whose answer cannot be read. */
export const undecodable = ({ why }: Unreadable): McpReason =>
  new McpReason.Undecodable({ what: "the answer", problems: [why] })

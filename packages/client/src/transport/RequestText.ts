/**
 * A request as the text that is sent. Values may come from callers without types, so printing them can fail (B099).
 */
import { Message, type Request } from "@treadle/protocol/rpc"
import { McpReason } from "../McpError.ts"
import { causeText } from "./TransportFailure.ts"

/** @throws McpReason where something in the request has no JSON; then nothing is sent */
export const requestText = (request: Request): string => {
  try {
    return Message.print(request)
  } catch (cause) {
    throw new McpReason.Undecodable({ what: "the request", problems: [causeText(cause)], notRun: true })
  }
}

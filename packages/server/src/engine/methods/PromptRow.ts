/**
 * The row of `prompts/get`.
 */
import { isRecord, own } from "@treadle/protocol/json"
import { RpcError } from "@treadle/protocol/rpc"
import { internalError } from "../../reply/ErrorReply.ts"
import type { Offer } from "../offer/Offer.ts"
import type { Row } from "./Row.ts"

/** Makes the messages of a prompt (PROMPT-02, PROMPT-03). */
export const promptRow =
  ({ prompts }: Pick<Offer, "prompts">): Row =>
  ({ inbound, request }) => {
    const name = own(request.params, "name")
    if (typeof name !== "string") return RpcError.invalidParams("params.name must be the name of a prompt")
    const args = own(request.params, "arguments")
    if (args !== undefined && !isRecord(args)) return RpcError.invalidParams("params.arguments must be an object")
    const prompt = prompts.find(name, inbound.context)
    if (prompt === undefined) return RpcError.invalidParams(`Unknown prompt ${JSON.stringify(name)}; see prompts/list`)
    return {
      name,
      effect: (call) => prompt.handler.get(args, call),
      services: prompt.services,
      lease: prompt.lease,
      timeout: prompt.handler.timeout,
      died: internalError
    }
  }

/**
 * The messages of a prompt as the payload of its answer (PROMPT-02, PROMPT-05).
 */
import { wireDecoder } from "@treadle/protocol/json"
import { PromptMessage } from "@treadle/protocol/schema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { NeutralResult } from "./NeutralResult.ts"
import { printed } from "./ToolReply.ts"

const decode = wireDecoder(Schema.Array(PromptMessage))

const messagesOf = (body: unknown): unknown => {
  if (typeof body === "string") return [{ role: "user", content: { type: "text", text: body } }]
  return Array.isArray(body) ? body : [body]
}

/**
 * @param description the prompt's own
 * @throws where the author's function gave no messages: inside its fiber, so that it is a defect of its own
 */
export const promptReply = (name: string, description: string, body: unknown): NeutralResult => {
  const messages = decode(messagesOf(body))
  if (Result.isFailure(messages)) {
    throw new TypeError(`The prompt ${name} gave no messages: ${messages.failure.problems.join("; ")}`)
  }
  return { members: `"description":${JSON.stringify(description)},"messages":${printed(messages.success)}` }
}

/**
 * The JSON value of a request's body, or why there is none: what doors that read bodies in their own ways have alike.
 */
import { RpcError } from "@treadle/protocol/rpc"
import type { Refusal } from "../envelope/Refusal.ts"

/** The value, or why there is none. */
export type Body = { readonly value: unknown } | { readonly refusal: Refusal }

const notJson = (why: string): Body => ({
  refusal: { rung: "json", error: RpcError.parseError(`Parse error: ${why}`) }
})

export const notUtf8: Body = notJson("the body is not UTF-8")

export const tooLarge = (limit: number): Body => ({
  refusal: {
    rung: "body-size",
    error: RpcError.invalidRequest(`The body is larger than ${limit} bytes (limits.bodyBytes)`)
  }
})

/** Something else has read it. @param message where, and what to do */
export const goneBody = (message: string): Body => ({
  refusal: { rung: "body-gone", error: RpcError.internal(message) }
})

/** The value that the text of a body says. */
export const parseText = (text: string): Body => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return notJson(error instanceof Error ? error.message : "the body is not JSON")
  }
}

/**
 * The JSON value of a request's body, or why there is none: what doors that read bodies in their own ways have alike.
 */
import { RpcError } from "@treadle/protocol/rpc"
import { refusal, type Refusal } from "../envelope/Refusal.ts"

/** The value, or why there is none. */
export type Body = { readonly value: unknown } | NoBody

/** Why there is no value. */
export interface NoBody {
  readonly refusal: Refusal
}

const notJson = (why: string): NoBody => ({
  refusal: { rung: "json", error: RpcError.parseError(`Parse error: ${why}`) }
})

export const notUtf8: NoBody = notJson("the body is not UTF-8")

/** The text of bytes; nothing where they are none. */
export const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export const tooLarge = (limit: number): NoBody => ({
  refusal: refusal("body-size", `The body is larger than ${limit} bytes (limits.bodyBytes)`)
})

/** Something else has read it. @param message where, and what to do */
export const goneBody = (message: string): NoBody => ({
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

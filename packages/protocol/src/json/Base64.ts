/**
 * Bytes as standard padded Base64 (RFC 4648), and back, strictly: a wrong alphabet or a wrong padding is refused.
 */
import * as Result from "effect/Result"
import * as Encoding from "effect/encoding/Base64"

/** Text (as UTF-8) or bytes in Base64. */
export const toBase64 = (input: string | Uint8Array): string => Encoding.encode(input)

const shape = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The bytes, or `undefined` where the text is not canonical Base64. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  if (!shape.test(text)) return undefined
  const decoded = Encoding.decode(text)
  return Result.isFailure(decoded) || Encoding.encode(decoded.success) !== text ? undefined : decoded.success
}

/** The text, or `undefined` where it is not canonical Base64 of UTF-8. */
export const textFromBase64 = (text: string): string | undefined => {
  const bytes = fromBase64(text)
  if (bytes === undefined) return undefined
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

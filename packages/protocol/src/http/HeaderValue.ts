/**
 * Values in headers: text that a header cannot carry travels as `=?base64?…?=` (HDR-08 to HDR-12).
 */
import { textFromBase64, toBase64 } from "../json/index.ts"

const open = "=?base64?"
const close = "?="

/** Whether a header can carry a text as it is: visible ASCII, spaces and tabs. */
const isPlain = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code < 32 && code !== 9) || code > 126) return false
  }
  return true
}

/** The two markers may share their question mark; such a value is no encoding, but a reader might take it for one. */
const looksEncoded = (value: string): boolean => value.startsWith(open) && value.endsWith(close)

/** The header value of any text. */
export const encodeHeaderValue = (text: string): string =>
  isPlain(text) && !/^[ \t]|[ \t]$/.test(text) && !looksEncoded(text) ? text : `${open}${toBase64(text)}${close}`

const isSpace = (code: number) => code === 32 || code === 9

/** A field value without the white space that HTTP allows around it (HDR-07). */
export const trimHeaderValue = (value: string): string => {
  let start = 0
  let end = value.length
  while (start < end && isSpace(value.charCodeAt(start))) start++
  while (end > start && isSpace(value.charCodeAt(end - 1))) end--
  return start === 0 && end === value.length ? value : value.slice(start, end)
}

/**
 * The text of a header value, or `undefined` where it cannot be one: characters that no header carries, or markers
 * round something that is not canonical Base64 of UTF-8.
 */
export const decodeHeaderValue = (value: string): string | undefined => {
  const trimmed = trimHeaderValue(value)
  const encoded = looksEncoded(trimmed) && trimmed.length >= open.length + close.length
  if (encoded) return textFromBase64(trimmed.slice(open.length, -close.length))
  return isPlain(trimmed) ? trimmed : undefined
}

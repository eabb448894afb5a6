/**
 * The JSON value of a request on `node:http`: read from the stream within a limit, or taken from `req.body` where a
 * framework has parsed it already.
 */
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { isRecord } from "@treadle/protocol/json"
import { goneBody, notUtf8, parseText, tooLarge, type Body } from "../transport/HttpBody.ts"

/** A request on which a framework may have left the body, and the address as it was before it was mounted anywhere. */
export type NodeRequest = IncomingMessage & { readonly body?: unknown; readonly originalUrl?: string }

/** The length of a byte order mark at the start, where there is one. */
const markLength = (bytes: Uint8Array): number => (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Parses bytes as UTF-8 JSON, with or without a byte order mark. */
export const parseBytes = (bytes: Uint8Array): Body =>
  isUtf8(bytes) ? parseText(asBuffer(bytes).toString("utf8", markLength(bytes))) : notUtf8

const gone = goneBody(
  "The request body was already read by another middleware and is not on req.body. Mount the MCP handler before it, " +
    "or pass the parsed body as req.body."
)

/** Some parsers leave an empty object on a request that they did not read. */
export const isUntouched = (req: NodeRequest, body: unknown): boolean =>
  !req.readableDidRead && !req.complete && isRecord(body) && Object.keys(body).length === 0

/** What a framework left on `req.body`, where it left anything. */
const parsedBody = (req: NodeRequest, limit: number): Body | undefined => {
  const { body } = req
  if (body === undefined || isUntouched(req, body)) return req.readableDidRead ? gone : undefined
  if (typeof body === "string") return Buffer.byteLength(body) > limit ? tooLarge(limit) : parseText(body)
  if (body instanceof Uint8Array) return body.length > limit ? tooLarge(limit) : parseBytes(body)
  return { value: body }
}

/**
 * Gives the body to `take`, in this call or a later one. A client that goes away before its body is complete gets
 * nothing.
 *
 * @param announced the Content-Length header
 * @param limit bytes
 */
export const readBody = (
  req: NodeRequest,
  announced: string | undefined,
  limit: number,
  take: (body: Body) => void
): void => {
  const parsed = parsedBody(req, limit)
  if (parsed !== undefined) return take(parsed)
  if (Number(announced) > limit) return take(tooLarge(limit))
  let first: Buffer | undefined
  let rest: Array<Buffer> | undefined
  let size = 0
  let done = false
  req.on("data", (chunk: Buffer) => {
    if (done) return
    size += chunk.length
    if (size > limit) {
      done = true
      return take(tooLarge(limit))
    }
    if (first === undefined) first = chunk
    else (rest ??= [first]).push(chunk)
  })
  req.on("end", () => {
    if (done) return
    done = true
    take(parseBytes(rest === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(rest)))
  })
}

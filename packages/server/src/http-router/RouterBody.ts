/**
 * The text of the body of a request of an Effect HTTP application, on whatever platform it came.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { goneBody, notUtf8, tooLarge, utf8Text, type NoBody } from "../transport/HttpBody.ts"

/** The text, or why there is none. */
export type BodyText = { readonly text: string } | NoBody

const unreadable = goneBody(
  "The body of the request was already read, or it is not as long as its Content-Length says. Let nothing read the " +
    "bodies of this route before it."
)

const isTooLarge = ({ reason }: HttpServerError): boolean =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

/** Reads the body within a limit in bytes, in place of the one that the application has for its other routes. */
export const bodyText = (request: HttpServerRequest.HttpServerRequest, limit: number): Effect.Effect<BodyText> => {
  const announced = Number(request.headers["content-length"])
  if (announced > limit) return Effect.succeed(tooLarge(limit))
  return Effect.match(
    Effect.provideService(request.arrayBuffer, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)),
    {
      onFailure: (error): BodyText => (isTooLarge(error) ? tooLarge(limit) : unreadable),
      onSuccess: (bytes): BodyText => {
        // What else has read the body leaves nothing of it.
        if (announced > 0 && bytes.byteLength === 0) return unreadable
        const text = utf8Text(new Uint8Array(bytes))
        return text === undefined ? notUtf8 : { text }
      }
    }
  )
}

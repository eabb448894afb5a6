/**
 * Bodies of responses as they are read: in chunks, or whole and no larger than the settings allow.
 */
import { McpReason } from "../McpError.ts"
import type { HttpPeer, HttpResponse } from "./HttpFetch.ts"
import { causeText, transportFailure } from "./TransportFailure.ts"

/** The chunks of a body; whoever stops early closes the connection. @throws McpReason where it breaks meanwhile */
export async function* chunksOf(response: HttpResponse): AsyncGenerator<Uint8Array, void> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  let done = false
  try {
    while (!done) {
      let next: Awaited<ReturnType<typeof reader.read>>
      try {
        next = await reader.read()
      } catch (cause) {
        done = true
        throw transportFailure(`the connection broke before the answer was complete: ${causeText(cause)}`, { cause })
      }
      if (next.done === true) done = true
      else if (next.value !== undefined) yield next.value
    }
  } finally {
    if (!done) void reader.cancel().catch(() => {})
  }
}

export const tooLarge = (peer: HttpPeer, status: number): McpReason =>
  transportFailure(`the answer is larger than ${peer.bodyLimit} bytes; raise the "bodyLimit" setting to read it`, {
    status
  })

/** The whole body as text. @throws McpReason where it is too large or not UTF-8 */
export const readText = async (peer: HttpPeer, response: HttpResponse): Promise<string> => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  let size = 0
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    } catch {
      throw new McpReason.Undecodable({ what: "the body of the answer", problems: ["it is not UTF-8"] })
    }
  }
  for await (const chunk of chunksOf(response)) {
    size += chunk.length
    if (size > peer.bodyLimit) throw tooLarge(peer, response.status)
    text += decode(chunk)
  }
  return text + decode()
}

/**
 * A server in the same process: messages are handed over as values, and what a handler died of comes with its answer.
 * It is spoken to natively, so it sends no requests and nothing outside its answers.
 */
import type { DirectPeer } from "@treadle/protocol/framing"
import { McpReason } from "../McpError.ts"
import type { ExchangeSink, Outgoing, Transport } from "./Transport.ts"

/** The transport to a peer that lives as long as the scope it was made in. */
export const directTransport = (peer: DirectPeer): Transport => ({
  kind: "direct",
  server: "the server in this process",
  attach: () => {},
  exchange: (outgoing: Outgoing, sink: ExchangeSink) =>
    peer.request(outgoing.request, {
      notify: sink.notify,
      answer: (message, cause) => {
        if (message._tag === "Result" || message._tag === "Error") {
          return sink.answer(cause === undefined ? { message } : { message, cause })
        }
        const problems = [`a ${message._tag.toLowerCase()} was given as the answer`]
        sink.fail(new McpReason.Undecodable({ what: "the answer", problems }))
      }
    }),
  post: (_message, _session, done) => done()
})

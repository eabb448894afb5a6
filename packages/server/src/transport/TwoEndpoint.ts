/**
 * The transport of 2024-11-05, which SEP-2596 deprecates: a GET opens a stream of events whose first names the address
 * for messages, each message is a POST there that is answered 202, and all that the server says goes to the stream
 * (CHTTP-26). So a stream and its address are a pipe, and what is said on it follows the rules of pipes.
 */
import { RpcError } from "@treadle/protocol/rpc"
import type { Inbound } from "../envelope/Inbound.ts"
import { refusal, type Refusal } from "../envelope/Refusal.ts"
import { refused } from "../engine/Answers.ts"
import type { Hold } from "../engine/sessions/HeldStream.ts"
import type { Sink } from "../engine/Sink.ts"
import type { Limits } from "../Limits.ts"
import type { Outcome, Serve } from "./Outcome.ts"

/** What the transport needs of a served thing. */
export interface TwoEndpointServer {
  readonly serve: Serve
  readonly hold: Hold
  readonly hangUp: (owner: string) => void
  readonly limits: Limits
  readonly warn: (text: string) => void
}

/** Settings of the deprecated HTTP+SSE transport. */
export interface SseSettings {
  /** Where clients send their messages, as they see it; where they opened the stream, by default. */
  readonly messages?: string
}

interface Pipe {
  readonly owner: string
  readonly principal: string | undefined
  readonly sink: Sink
}

const parameter = "sessionId"

const unknown = refusal(
  "session-known",
  "This address belongs to no open stream. Open one with GET, and send to the address it names. Clients that speak " +
    "Streamable HTTP belong at another path of this server, usually /mcp"
)
const full = RpcError.internal("Too many streams are open; try again later")

/** What is sent with each: a message; the wish for a stream. */
export const sseVerbs: ReadonlyArray<string> = ["POST", "GET"]

const noVerb = refusal("verb", "Nothing is deleted here; close the stream of events")

const idIn = (url: string): string | undefined => {
  const query = url.indexOf("?")
  return query < 0 ? undefined : (new URLSearchParams(url.slice(query)).get(parameter) ?? undefined)
}

const makePipes = ({ hangUp, hold, limits, serve }: TwoEndpointServer, messages: string) => {
  const pipes = new Map<string, Pipe>()

  /** What is said goes to the stream, and a reader that is too slow for it loses the stream. */
  const pipeOf = (id: string, inbound: Inbound, stream: Sink, tell: (text: string) => void): Pipe => ({
    owner: `stream:${id}`,
    principal: inbound.principal?.id,
    sink: {
      post: (text) => stream.post(text),
      full: () => stream.full(),
      room: stream.room,
      answer: ({ text }) => tell(text),
      abandon: () => {},
      tick: () => {}
    }
  })

  const openStream = (inbound: Inbound, sink: Sink): (() => void) | Refusal => {
    if (pipes.size >= limits.sessions) return { rung: "sessions", error: full }
    const id = globalThis.crypto.randomUUID()
    sink.keep?.((events) => {
      events.send(`${messages}${messages.includes("?") ? "&" : "?"}${parameter}=${id}`, { event: "endpoint" })
      return events
    })
    const call = hold(inbound, sink, (tell) => {
      const pipe = pipeOf(id, inbound, sink, tell)
      pipes.set(id, pipe)
      return () => {
        pipes.delete(id)
        hangUp(pipe.owner)
      }
    })
    return "rung" in call ? call : () => call.end("cancelled")
  }

  return {
    openStream,
    endSession: () => noVerb,
    /** Takes a message, and says no more about it here, except that its sender lacks scopes. */
    serve: ({ context, headers, http, principal, services, value }: Inbound, reply: Sink): Outcome => {
      const pipe = pipes.get(idIn(http?.url ?? "") ?? "")
      if (pipe === undefined || pipe.principal !== principal?.id) {
        reply.answer(refused(unknown))
        return undefined
      }
      let refusedHere = false
      const sink: Sink = {
        ...pipe.sink,
        answer: (answer) => {
          refusedHere = answer.challenge !== undefined
          if (refusedHere) reply.answer(answer)
          else pipe.sink.answer(answer)
        }
      }
      const { owner } = pipe
      serve({ value, http: undefined, headers, overHttp: true, context, principal, services, owner }, sink)
      return refusedHere ? undefined : "accepted"
    }
  }
}

/** The same served thing, for doors whose clients speak HTTP+SSE. */
export const twoEndpoint =
  ({ messages = "" }: SseSettings) =>
  <S extends TwoEndpointServer>(served: S): S => {
    served.warn(
      "Clients of the HTTP+SSE transport are served, which SEP-2596 deprecates. Serve Streamable HTTP instead."
    )
    return { ...served, ...makePipes(served, messages) }
  }

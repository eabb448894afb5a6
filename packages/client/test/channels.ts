/**
 * The ways on which a server asks a client during a call: natively in a round, in the compat era by a request of its own
 * on the stream of the call, on its own stream, or on a pipe.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Result from "effect/Result"
import type { HttpScript, HttpScriptReply } from "@treadle/testing"
import type { Answers, ClientSettings, McpError, McpReason, McpSession } from "../src/index.ts"
import { compatLines, piped } from "./farEnd.ts"
import { compatServing, opened, result, serving, textResult } from "./fixtures.ts"

/** What a server asks. */
export interface Question {
  readonly method: string
  readonly params?: object
}

/** What it got, as JSON-RPC says it; natively a refusal is the reason that the call fails with. */
export interface Heard {
  readonly result?: any
  readonly error?: any
  readonly reason?: McpReason
}

/** A session whose every call is asked this question under way, and answered once that was. */
export interface Channel {
  readonly name: string
  readonly era: "native" | "compat"
  readonly open: (
    question: Question,
    settings: ClientSettings
  ) => Effect.Effect<{ readonly session: McpSession; readonly heard: () => Heard }, McpError, Scope.Scope>
}

const isAnswer = (json: any): boolean => json?.id === "q" && json.method === undefined

const done = textResult("done")

const natively: Channel = {
  name: "a native round",
  era: "native",
  open: (question, settings) => {
    let heard: Heard = {}
    const asking = { resultType: "input_required", inputRequests: { q: question }, requestState: "state" }
    const script = serving(({ json }, reply) => {
      const { inputResponses } = json.params
      if (inputResponses !== undefined) heard = { result: inputResponses.q }
      reply.json(result(json.id, inputResponses === undefined ? asking : done))
    })
    return Effect.map(opened(script, settings), ({ session }) => ({ session, heard: () => heard }))
  }
}

/** Over HTTP. @param own whether the server asks on its own stream */
const overHttp = (name: string, own: boolean): Channel => ({
  name,
  era: "compat",
  open: (question, settings) => {
    let heard: Heard = {}
    let stream: ReturnType<HttpScriptReply["stream"]> | undefined
    let finish: (() => void) | undefined
    const ask = { jsonrpc: "2.0", id: "q", ...question }
    const rest = compatServing(async ({ json }, reply) => {
      const call = own ? undefined : reply.stream()
      finish = () => {
        if (call === undefined) return reply.json(result(json.id, done))
        void call.event(result(json.id, done)).then(call.end)
      }
      await (call ?? stream)?.event(ask)
    })
    const script: HttpScript = (seen, reply) => {
      if (own && seen.verb === "GET") return void (stream = reply.stream())
      rest(seen, reply)
      if (!isAnswer(seen.json)) return
      heard = seen.json
      finish?.()
    }
    return Effect.gen(function* () {
      const { server, session } = yield* opened(script, settings)
      if (own) yield* Effect.promise(() => server.seen.first((seen) => seen.verb === "GET"))
      return { session, heard: () => heard }
    })
  }
})

const overPipe: Channel = {
  name: "a pipe",
  era: "compat",
  open: (question, settings) => {
    let heard: Heard = {}
    let call: unknown
    const lines = compatLines(({ id }, far) => {
      call = id
      far.send({ jsonrpc: "2.0", id: "q", ...question })
    })
    const open = piped((line, far) => {
      lines(line, far)
      if (!isAnswer(line)) return
      heard = line
      far.send(result(call, done))
    }, settings)
    return Effect.map(open, ({ session }) => ({ session, heard: () => heard }))
  }
}

/** All of them. The server's own stream is open only where the client has answers. */
export const channels: ReadonlyArray<Channel> = [
  natively,
  overHttp("the stream of the call", false),
  overHttp("the server's own stream", true),
  overPipe
]

/** Asks over one channel. */
export const askOver = (channel: Channel, question: Question, answers: Answers): Effect.Effect<Heard, McpError> =>
  Effect.gen(function* () {
    const { heard, session } = yield* channel.open(question, { answers })
    const called = yield* Effect.result(session.callTool("x"))
    if (Result.isSuccess(called)) return heard()
    assert.deepStrictEqual([channel.era, heard()], ["native", {}], called.failure.message)
    return { reason: called.failure.reason }
  }).pipe(Effect.scoped)

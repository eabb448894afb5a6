/**
 * A server that a test plays: in either era, over HTTP or a pipe, with one way to see what the client sent and to speak
 * by itself, so that one table of tests covers all four.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { linePair } from "@treadle/protocol/framing"
import { Recorder, scriptedHttp, type HttpScript, type HttpScriptReply, type HttpSeen } from "@treadle/testing"
import {
  EraMemory,
  makeEraMemory,
  McpClient,
  type Change,
  type HttpSettings,
  type McpError,
  type McpSession
} from "../src/index.ts"
import { readLines } from "./farEnd.ts"
import { discoverResult, initializeResult, result, rpcError, textResult } from "./fixtures.ts"

/** What is played. */
export interface Part {
  readonly era: "native" | "compat"
  /** HTTP by default. */
  readonly over?: "http" | "pipe"
  readonly capabilities?: object
  /** The whole answer to a request; without one it is not answered. The usual answers by default. */
  readonly answer?: (message: any) => object | undefined | Promise<object | undefined>
  /** What is honoured of a listen request; all of it by default, and `undefined` leaves it without an acknowledgement. */
  readonly honoured?: (asked: object) => object | undefined
  /** The error that a listen request is answered with, if any. */
  readonly refusal?: (message: any) => object | undefined
  /** Takes an HTTP request before anything else does. @returns whether it did */
  readonly first?: (...given: Parameters<HttpScript>) => boolean
  readonly settings?: HttpSettings
}

/** A way of the server to speak by itself that is open. */
interface Voice {
  readonly say: (message: object) => unknown
  /** Says what is no message, to show that it is there. */
  readonly comment?: () => unknown
  /** Ends it as the specification wants it ended. */
  readonly end: () => unknown
  /** Breaks it off. */
  readonly cut: () => unknown
}

/** A server that plays, and the session with it. */
export interface Played {
  readonly session: McpSession
  /** Another session with the same server; only over HTTP. */
  readonly another: (settings?: HttpSettings) => Effect.Effect<McpSession, McpError, Scope.Scope>
  /** Every message of the client in order, over HTTP with its `headers`; a GET or a DELETE goes by that as its method. */
  readonly sent: Recorder<any>
  readonly of: (method: string) => ReadonlyArray<any>
  /** Waits for the nth message of a method. */
  readonly heard: (method: string, nth?: number) => Effect.Effect<any>
  /** Says something on every stream of the server's own that is open. */
  readonly tell: (method: string, params?: object) => Effect.Effect<void>
  /** Writes a comment on them. */
  readonly comment: Effect.Effect<void>
  /** How many of those are open. */
  readonly voices: () => number
  readonly end: Effect.Effect<void>
  readonly cut: Effect.Effect<void>
}

/** What a server declares that has everything. */
export const everything = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {}
}

/** Every era over every transport. */
export const cells = (["native", "compat"] as const).flatMap((era) =>
  (["http", "pipe"] as const).map((over) => ({ era, over, name: `${era} over ${over}` }))
)

const subscriptionKey = "io.modelcontextprotocol/subscriptionId"

class Stage {
  readonly sent = new Recorder<any>()
  readonly voices = new Map<unknown, Voice>()
  readonly #part: Part

  constructor(part: Part) {
    this.#part = part
  }

  /** The answer to a request; a listen request has none yet. */
  async answer(message: any): Promise<object | undefined> {
    const { answer, capabilities = everything, era } = this.#part
    const { id, method } = message
    if (method === "server/discover") {
      return era === "native" ? result(id, { ...discoverResult, capabilities }) : rpcError(id, -32601, "what?")
    }
    if (method === "initialize") return result(id, { ...initializeResult, capabilities })
    return answer === undefined ? result(id, textResult("ok")) : answer(message)
  }

  /** The first words of a subscription, and how the server speaks in it. */
  listen(
    message: any,
    send: (value: object) => unknown,
    over: (graceful: boolean) => unknown,
    comment?: () => unknown
  ): void {
    const { id, params } = message
    const meta = { _meta: { [subscriptionKey]: id } }
    const named = (said: any): object => ({ ...said, params: { ...said.params, ...meta } })
    const { honoured = (asked: object) => asked, refusal } = this.#part
    const refused = refusal?.(message)
    if (refused !== undefined) return void send(refused)
    const notifications = honoured(params.notifications)
    this.voices.set(id, {
      say: (said) => send(named(said)),
      end: async () => {
        await send(result(id, { resultType: "complete", ...meta }))
        over(true)
      },
      cut: () => over(false),
      ...(comment === undefined ? {} : { comment })
    })
    if (notifications === undefined) return
    send({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications, ...meta }
    })
  }
}

const httpScript = (stage: Stage, { era, first }: Part): HttpScript => {
  let sessions = 0
  return async (seen, reply) => {
    stage.sent.record({ ...seen.json, ...(seen.verb === "POST" ? {} : { method: seen.verb }), headers: seen.headers })
    if (first?.(seen, reply) === true) return
    if (seen.verb === "DELETE") return reply.raw("", {}, 200)
    if (seen.verb === "GET") return speak(stage, seen, reply)
    const { id, method } = seen.json
    if (method === "subscriptions/listen") return subscribe(stage, seen, reply)
    if (id === undefined || method === undefined) return reply.raw("", {}, 202)
    const answer = await stage.answer(seen.json)
    if (answer === undefined) return
    if (era === "native" || method !== "initialize") return reply.json(answer)
    const headers = { "content-type": "application/json", "mcp-session-id": `s${++sessions}` }
    reply.raw(JSON.stringify(answer), headers)
  }
}

const speak = (stage: Stage, { gone }: HttpSeen, reply: HttpScriptReply): void => {
  const { end, event } = reply.stream()
  const key = {}
  stage.voices.set(key, { say: event, end, cut: reply.destroy })
  void gone.then(() => stage.voices.delete(key))
}

const subscribe = (stage: Stage, { gone, json }: HttpSeen, reply: HttpScriptReply): void => {
  const { end, event, write } = reply.stream()
  stage.listen(
    json,
    event,
    (graceful) => (graceful ? end() : reply.destroy()),
    () => write(": here\n\n")
  )
  void gone.then(() => stage.voices.delete(json.id))
}

const playPipe = (stage: Stage, part: Part) => {
  const [near, far] = linePair()
  const send = (value: object) => far.write(`${JSON.stringify(value)}\n`)
  const onLine = (message: any): void => {
    stage.sent.record(message)
    if (message.method === "notifications/cancelled") stage.voices.delete(message.params.requestId)
    else if (message.method === "subscriptions/listen") stage.listen(message, send, () => far.close())
    else if (message.id !== undefined && message.method !== undefined) {
      void stage.answer(message).then((answer) => answer === undefined || send(answer))
    }
  }
  readLines(far, onLine, () => stage.sent.record({ method: "end" }))
  if (part.era === "compat") stage.voices.set(far, { say: send, end: far.close, cut: far.close })

  return McpClient.pipe(near, part.settings)
}

/** Plays a server and opens a session with it, which remembers nothing of other tests. */
export const play = (part: Part): Effect.Effect<Played, McpError, Scope.Scope> =>
  Effect.gen(function* () {
    const stage = new Stage(part)
    const { sent, voices } = stage
    const memory = Effect.provideService(EraMemory, makeEraMemory())
    const { url } = part.over === "pipe" ? { url: "" } : yield* scriptedHttp(httpScript(stage, part))
    const another = (settings?: HttpSettings) => memory(McpClient.http(url, settings))
    const session = yield* part.over === "pipe" ? memory(playPipe(stage, part)) : another(part.settings)
    const of = (method: string) => sent.events.filter((message) => message.method === method)
    const all = (use: (voice: Voice) => unknown) =>
      Effect.promise(async () => Promise.all([...voices.values()].map(use)))
    const silenced = (use: (voice: Voice) => unknown) =>
      Effect.tap(all(use), () => Effect.sync(() => voices.clear())).pipe(Effect.asVoid)
    return {
      session,
      another,
      sent,
      of,
      heard: (method, nth = 1) => Effect.promise(() => sent.first((message) => message === of(method)[nth - 1])),
      tell: (method, params) =>
        Effect.asVoid(
          all((voice) => voice.say({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }))
        ),
      comment: Effect.asVoid(all((voice) => voice.comment?.())),
      voices: () => voices.size,
      end: silenced((voice) => voice.end()),
      cut: silenced((voice) => voice.cut())
    }
  })

/** Reads a stream of changes as they come. */
export const reading = <E>(changes: Stream.Stream<Change, E>) =>
  Effect.gen(function* () {
    const seen = new Recorder<Change | "end">()
    const read = Stream.runForEach(changes, (change) => Effect.sync(() => seen.record(change)))
    const ended = Effect.ensuring(
      read,
      Effect.sync(() => seen.record("end"))
    )
    yield* Effect.forkScoped(ended, { startImmediately: true })
    return seen
  })

/** Waits for the first so many of what is recorded, and gives all that is there by then. */
export const atLeast = <A>(recorder: Recorder<A>, count: number): Effect.Effect<ReadonlyArray<A>> =>
  Effect.as(
    Effect.promise(() => recorder.first(() => recorder.events.length >= count)),
    recorder.events
  )

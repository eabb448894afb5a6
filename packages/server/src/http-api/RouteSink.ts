/**
 * Where the messages of an operation go that a route has called: notifications nowhere, because a response has no place
 * for them; the answer becomes the response.
 */
import * as Effect from "effect/Effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { CurrentCall } from "../CurrentCall.ts"
import type { Operate } from "../engine/Operating.ts"
import type { RunningCall } from "../engine/RunningCall.ts"
import type { Answer, Sink } from "../engine/Sink.ts"
import type { Inbound } from "../envelope/Inbound.ts"
import type { ToolHandler } from "../handler/ToolHandler.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { answerProblem, diedProblem, problem } from "./RouteReply.ts"

type Response = HttpServerResponse.HttpServerResponse

/** What the engine is told; the response says it in its own words. */
const over: NeutralResult = { members: "" }
const overFailed: NeutralResult = { members: "", isError: true }

/** What is run for a request, with whatever is served under the name now. */
export type RouteRun = (handler: ToolHandler, call: RunningCall) => Effect.Effect<Response, never, CurrentCall>

/**
 * Runs an operation for a request. Interrupting it is the disconnect of the client, and ends the call.
 */
export const called = (operate: Operate, name: string, inbound: Inbound, run: RouteRun): Effect.Effect<Response> =>
  Effect.callback<Response>((resume) => {
    let told: Response | undefined
    let running: RunningCall | undefined
    const respond = (answer: Answer): Response => {
      if (running?.ending === "timed-out") return problem(504, { detail: `${name} was given up; try again later` })
      if (running?.ending === "stopping") return problem(503, { detail: "The server is stopping" })
      return answer.error === undefined && told !== undefined ? told : answerProblem(answer)
    }
    const sink: Sink = {
      post: () => true,
      full: () => false,
      room: Effect.void,
      mute: true,
      answer: (answer) => resume(Effect.succeed(respond(answer))),
      abandon: () => resume(Effect.interrupt),
      tick: () => {}
    }
    const keep = (response: Response): NeutralResult => {
      told = response
      return response.status < 400 ? over : overFailed
    }
    running = operate(name, inbound, sink, {
      run: (handler, call) => Effect.map(run(handler, call), keep),
      died: (reference) => keep(diedProblem(reference))
    })
    return running === undefined ? undefined : Effect.sync(() => running?.disconnect())
  })

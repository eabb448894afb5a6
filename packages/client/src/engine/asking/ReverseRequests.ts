/**
 * The requests that a compat server sends by itself: answered on whatever stream they come (CHTTP-24). A ping is always
 * answered (INIT-11); the time in which a person answers is no time of the call.
 */
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { JsonObject } from "@treadle/protocol/json"
import { Message, requestKey, RpcError, type Request, type RequestId } from "@treadle/protocol/rpc"
import { ServerRequest, type ClientRequest } from "@treadle/protocol/schema"
import type { OnNoise } from "../../ClientSettings.ts"
import type { Posted } from "../../transport/Transport.ts"
import { maxAtOnce, type Answering, type Asking } from "./Answering.ts"
import type { ClientEngine, Running } from "../ClientEngine.ts"

/** Answers the requests of one link. */
export interface ReverseRequests {
  readonly take: (request: Request, during: Running | undefined) => void
  /** Answers that there are no such requests: natively a server sends none (BASE-05). */
  readonly refuse: (request: Request) => void
  /** The server no longer wants an answer. */
  readonly cancel: (id: RequestId) => void
}

/** What the server is told it asks during. */
const askingOf = (server: string, request: ClientRequest | undefined): Asking => {
  if (request === undefined) return { server }
  const { method, params } = request
  const name = "name" in params ? params.name : "uri" in params ? params.uri : undefined
  return { server, method, ...(typeof name === "string" ? { name } : {}) }
}

/** The answer to a request. Until it is given, the time of the calls that it may be about stands still. */
const answerTo = (
  request: Request,
  during: Running | undefined,
  { running, server }: ClientEngine,
  answering: Answering
): Effect.Effect<JsonObject, RpcError> => {
  const decoded = ServerRequest.decode(request.method, request.params)
  if (Result.isFailure(decoded)) return Effect.fail(decoded.failure)
  const question = decoded.success
  if (question.method === "ping") return Effect.succeed({})
  const asked = during === undefined ? [...running()] : [during]
  const resumes = asked.map(({ deadline }) => deadline?.pause())
  const answered = answering(question, askingOf(server, during?.request))
  return Effect.ensuring(
    // An answer is one of the schemas of the wire, so it is JSON.
    answered as Effect.Effect<JsonObject, RpcError>,
    Effect.sync(() => resumes.forEach((resume) => resume?.()))
  )
}

/** @param engine gives the engine of the link, which is made with this */
export const makeReverseRequests = (
  engine: () => ClientEngine,
  answering: Answering,
  onNoise: OnNoise
): Effect.Effect<ReverseRequests, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fibers = yield* FiberMap.make<string, void>()
    const run = yield* FiberMap.runtime(fibers)<never>()
    const runFork = Effect.runForkWith(yield* Effect.context<never>())

    const reply = (message: Posted): Effect.Effect<void> =>
      Effect.catch(
        Effect.suspend(() => engine().post(message)),
        (reason) => Effect.sync(() => onNoise(reason.message, "an answer to the server was not taken"))
      )

    // A closed map of fibers can be asked for a key, but not be gone through.
    let open = 0
    const take: ReverseRequests["take"] = (request, during) => {
      const key = requestKey(request.id)
      if (FiberMap.hasUnsafe(fibers, key)) return onNoise(request.method, "the server used an id twice")
      const answered = Effect.matchEffect(
        Effect.suspend(() => answerTo(request, during, engine(), answering)),
        {
          onFailure: (error) => reply(Message.error(request.id, error)),
          onSuccess: (result) => reply(Message.result(request.id, result))
        }
      )
      if (open < maxAtOnce) {
        open++
        run(key, answered).addObserver(() => void open--)
        return
      }
      refuseWith(request, RpcError.internal("This client answers no more requests at the same time"))
    }

    /** How many refusals are under way. */
    let refusing = 0
    const refuseWith = (request: Request, error: RpcError): void => {
      if (refusing >= maxAtOnce) return onNoise(request.method, "the server asks without taking the answers")
      refusing++
      const refused = reply(Message.error(request.id, error))
      runFork(
        Effect.ensuring(
          refused,
          Effect.sync(() => void refusing--)
        )
      )
    }

    const refuse: ReverseRequests["refuse"] = (request) => {
      onNoise(request.method, "a server sends no requests in this revision")
      refuseWith(request, RpcError.methodNotFound(`This client serves no requests, ${request.method} neither`))
    }

    return { take, refuse, cancel: (id) => void runFork(FiberMap.remove(fibers, requestKey(id))) }
  })

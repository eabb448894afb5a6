/**
 * The rounds of native calls: a call that asked ends with its questions and a sealed state; a retry opens the state, takes
 * the answers to the questions of the last round, and runs the handler again (MRTR-03 to MRTR-11).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isJsonObject, own, type Json, type JsonObject } from "@treadle/protocol/json"
import { ServerRequest, type InputRequest } from "@treadle/protocol/schema"
import { AskFailed } from "../../AskFailed.ts"
import type { NeutralResult } from "../../reply/NeutralResult.ts"
import { StateStore } from "../../StateStore.ts"
import type { StateSeal } from "./RequestState.ts"
import type { Running } from "../methods/Row.ts"
import type { RunningCall } from "../RunningCall.ts"

export interface RoundParts {
  readonly seal: StateSeal
  readonly now: () => number
  /** Milliseconds for which a state can be presented. */
  readonly timeout: number
}

/** What is told of a state that is refused; why it is, is nobody's business (STATE-05). */
const invalidState = "The requestState is not valid for this request; send the request again without it"

const refuse = (message: string): Effect.Effect<never> => Effect.die(new AskFailed("malformed", message))

type Answers = ReadonlyArray<readonly [string, Json]>

/** The answers that an attempt brings; none where it says `null`. */
const given = (params: JsonObject | undefined): Result.Result<JsonObject, string> => {
  const responses = own(params, "inputResponses") ?? {}
  return isJsonObject(responses) ? Result.succeed(responses) : Result.fail("params.inputResponses must be an object")
}

/** Those of them that answer what was asked; the rest is ignored (MRTR-09). */
const answersTo = (asked: ReadonlyMap<string, string>, responses: JsonObject): Result.Result<Answers, string> => {
  const answers: Array<readonly [string, Json]> = []
  for (const [key, method] of asked) {
    const answer = own(responses, key)
    if (answer === undefined) continue
    const decoded = ServerRequest.decodeAnswer(method as InputRequest["method"], answer)
    if (Result.isFailure(decoded)) {
      return Result.fail(`params.inputResponses[${JSON.stringify(key)}]: ${decoded.failure.problems.join("; ")}`)
    }
    answers.push([key, answer as Json])
  }
  return Result.succeed(answers)
}

export const makeRounds = ({ now, seal, timeout }: RoundParts) => {
  /**
   * Runs the handler of a retry. Some clients leave the state out: then only the answers that they repeat are known, and
   * nothing that a tool spends once.
   */
  const resume = Effect.fnUntraced(function* (call: RunningCall, running: Running) {
    const { admitted } = call
    const sealed = own(admitted.request.params, "requestState")
    const responses = given(admitted.request.params)
    if (Result.isFailure(responses)) return yield* refuse(responses.failure)
    if (sealed === undefined) {
      if (running.once !== true) call.restore({ answers: new Map(Object.entries(responses.success)), steps: new Map() })
      return yield* running.effect(call)
    }
    const state = yield* seal.open(admitted, sealed, now())
    if (state === undefined) return yield* refuse(invalidState)
    const answers = answersTo(state.asked, responses.success)
    if (Result.isFailure(answers)) return yield* refuse(answers.failure)
    if (running.once === true) {
      const store = yield* StateStore
      if (!(yield* store.spend(state.id, state.expires, now()))) return yield* refuse(invalidState)
    }
    call.restore({ ...state, answers: new Map([...state.answers, ...answers.success]) })
    return yield* running.effect(call)
  })

  /** The result of a call that waits for nothing but answers. */
  const questions = Effect.fnUntraced(function* (call: RunningCall) {
    const { requests, ...remembered } = call.round()
    const state = { id: globalThis.crypto.randomUUID(), expires: now() + timeout, ...remembered }
    const sealed = yield* seal.seal(call.admitted, state)
    const printed = requests.map(([key, request]) => `${JSON.stringify(key)}:${JSON.stringify(request)}`)
    return {
      resultType: "input_required",
      members: `"inputRequests":{${printed.join(",")}},"requestState":${JSON.stringify(sealed)}`
    } satisfies NeutralResult
  })

  return { resume, questions }
}

export type Rounds = ReturnType<typeof makeRounds>

/**
 * Turns of a scripted model: what it answers when it is asked once.
 */
import * as Effect from "effect/Effect"
import { AiError, NetworkError, type AiErrorReason } from "effect/ai/AiError"
import type { FinishReason, PartEncoded } from "effect/ai/Response"
import type { AnyEndpoint, ArgsOf } from "@treadle/protocol/endpoint"
import type { Seen } from "./Seen.ts"

/** Tokens that a turn counts; 10 and 5 where nothing is said. */
export interface TurnUsage {
  readonly input?: number
  readonly output?: number
}

/** How a turn ends. */
export interface TurnOptions {
  readonly usage?: TurnUsage
  /** Why the model stopped; `tool-calls` or `stop` where nothing is said. */
  readonly finish?: FinishReason
}

/** What one turn answers, once it is known what the model sees. `number` counts from 1. */
export interface Turn {
  readonly parts: (seen: Seen, number: number) => Effect.Effect<ReadonlyArray<PartEncoded>, AiError>
  readonly options: TurnOptions
}

/** A turn, or one that depends on what the model sees. */
export type TurnLike = Turn | ((seen: Seen) => Turn)

/** Which of several servers is meant. */
export interface CallOptions extends TurnOptions {
  /** The name of the server in the agent's definition, where several have the tool. */
  readonly server?: string
}

type CallArguments<X extends AnyEndpoint> =
  {} extends ArgsOf<X> ? [input?: ArgsOf<X>, options?: CallOptions] : [input: ArgsOf<X>, options?: CallOptions]

/** A test that is wrong: it dies with a sentence, and so does the run. */
export class WrongScript extends Error {}

const wrong = (number: number, why: string): Effect.Effect<never> =>
  Effect.die(new WrongScript(`Turn ${number} of the script ${why}`))

const callPart = (number: number, name: string, params: unknown): PartEncoded => ({
  type: "tool-call",
  id: `turn_${number}_${name}`,
  name,
  params
})

const nameFor = (seen: Seen, tool: string, server: string | undefined, number: number): Effect.Effect<string> => {
  const named = seen.tools.filter((one) => one.tool === tool && (server === undefined || one.server === server))
  const [only, ...others] = named
  if (only === undefined) {
    const there = seen.tools.map((one) => one.tool).join(", ")
    return wrong(number, `calls ${JSON.stringify(tool)}, which the model is not offered. It is offered ${there}.`)
  }
  if (others.length > 0) {
    const servers = named.map((one) => (one.server === "" ? 'the agent itself ("")' : JSON.stringify(one.server)))
    return wrong(number, `calls ${JSON.stringify(tool)}, which ${servers.join(", ")} have. Say which: { server: … }.`)
  }
  return Effect.succeed(only.name)
}

/** Calls the tool of an endpoint; arguments that it does not have do not compile. */
export const call = <X extends AnyEndpoint>(endpoint: X, ...[input, options = {}]: CallArguments<X>): Turn => ({
  options,
  parts: (seen, number) =>
    Effect.flatMap(nameFor(seen, endpoint.name, options.server, number), (name) =>
      Effect.catch(
        Effect.map(endpoint.shape.input.encode(input ?? {}), (params) => [callPart(number, name, params)]),
        ({ problems }) => wrong(number, `calls ${JSON.stringify(endpoint.name)} with ${problems.join("; ")}.`)
      )
    )
})

/**
 * Calls a tool by the name of the agent's own, such as `subagent.spawn`, or by any name at all: one that there is not is
 * called as it is written.
 *
 * @param params anything, since models send anything
 */
export const callNamed = (tool: string, params: unknown = {}, options: CallOptions = {}): Turn => ({
  options,
  parts: (seen, number) => {
    const known = seen.tools.find(
      (one) => one.tool === tool && (options.server === undefined || one.server === options.server)
    )
    return Effect.succeed([callPart(number, known?.name ?? tool, params)])
  }
})

/** Says something, and calls nothing: that is the answer. */
export const say = (text: string, options: TurnOptions = {}): Turn => ({
  options,
  parts: () => Effect.succeed([{ type: "text", text }])
})

/** Answers with a value, as JSON. */
export const answer = (value: unknown, options: TurnOptions = {}): Turn => say(JSON.stringify(value) ?? "", options)

/** Is cut off in the middle of a text. */
export const cutOff = (text = "", options: TurnOptions = {}): Turn => say(text, { finish: "length", ...options })

/** Several turns as one answer: all their texts and calls at once. */
export const together = (...turns: ReadonlyArray<Turn>): Turn => ({
  options: Object.assign({}, ...turns.map(({ options }) => options)) as TurnOptions,
  parts: (seen, number) =>
    Effect.map(Effect.all(turns.map((turn) => turn.parts(seen, number))), (parts) =>
      parts.flat().map((part, index) => (part.type === "tool-call" ? { ...part, id: `${part.id}_${index}` } : part))
    )
})

/** Does not answer, because its provider fails. */
export const fail = (
  reason: AiErrorReason = new NetworkError({ reason: "TransportError", method: "POST", url: "https://model.test/" })
): Turn => ({
  options: {},
  parts: () => Effect.fail(new AiError({ module: "AgentTest", method: "script", reason }))
})

/** Never answers. */
export const hang: Turn = { options: {}, parts: () => Effect.never }

/** Answers after a while of the test's clock. */
export const after = (millis: number, turn: Turn): Turn => ({
  options: turn.options,
  parts: (seen, number) => Effect.delay(turn.parts(seen, number), millis)
})

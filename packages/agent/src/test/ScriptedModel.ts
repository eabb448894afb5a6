/**
 * A model with a script: one turn for each time that it is asked. A turn too many or too few fails the test, by its
 * number; also where a subagent asked, whose parent reads only that it broke down.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { AiError } from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type { PartEncoded, StreamPartEncoded } from "effect/ai/Response"
import { Outcome } from "../Outcome.ts"
import { cutText } from "../Text.ts"
import { seenIn, type Seen } from "./Seen.ts"
import { WrongScript, type Turn, type TurnLike } from "./Turn.ts"

interface Script {
  readonly name: string | undefined
  /** Where it is written, as lines of a stack: what is wrong with it is shown there. */
  readonly place: string
  readonly turns: ReadonlyArray<TurnLike>
  used: number
  /** What a turn died of first: a test that is wrong, or an assertion in it. */
  broken: Cause.Cause<never> | undefined
}

/** Where the caller of the caller stands, as lines of a stack. */
const placeOfCaller = (): string => (new Error().stack ?? "").split("\n").slice(3).join("\n")

const placed = (error: WrongScript, { place }: Script): WrongScript => {
  error.stack = `${error.name}: ${error.message}\n${place}`
  return error
}

/** Characters of the end of a prompt that a message shows. */
const shownPrompt = 4_000

const endOf = (prompt: string): string => (prompt.length <= shownPrompt ? prompt : `… ${prompt.slice(-shownPrompt)}`)

const called = ({ name }: Script): string =>
  name === undefined ? "The script" : `The script of ${JSON.stringify(name)}`

const finishPart = ({ options }: Turn, parts: ReadonlyArray<PartEncoded>): PartEncoded => {
  const { input = 10, output = 5 } = options.usage ?? {}
  const calls = parts.some(({ type }) => type === "tool-call")
  return {
    type: "finish",
    reason: options.finish ?? (calls ? "tool-calls" : "stop"),
    usage: {
      inputTokens: { uncached: undefined, total: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: undefined, reasoning: undefined }
    },
    response: undefined
  }
}

const turnOf = (script: Script, seen: Seen): Effect.Effect<Array<PartEncoded>, AiError> => {
  const like = script.turns[script.used]
  script.used++
  if (like === undefined) {
    const count = script.turns.length === 1 ? "1 turn" : `${script.turns.length} turns`
    return Effect.die(
      new WrongScript(
        `${called(script)} has ${count}, and the model was asked for turn ${script.used}. It saw:\n${endOf(seen.prompt)}`
      )
    )
  }
  const number = script.used
  return Effect.suspend(() => {
    const turn = typeof like === "function" ? like(seen) : like
    return Effect.map(turn.parts(seen, number), (parts) => [...parts, finishPart(turn, parts)])
  })
}

const answered = (script: Script, seen: Seen): Effect.Effect<Array<PartEncoded>, AiError> =>
  Effect.tapDefect(turnOf(script, seen), (defect) =>
    Effect.sync(() => {
      script.broken ??= Cause.die(defect instanceof WrongScript ? placed(defect, script) : defect)
    })
  )

const streamed = (part: PartEncoded, index: number): ReadonlyArray<StreamPartEncoded> => {
  if (part.type !== "text") return [part as StreamPartEncoded]
  const id = `text_${index}`
  const words = part.text.split(/(?<=\s)/u)
  return [
    { type: "text-start", id },
    ...words.map((delta) => ({ type: "text-delta" as const, id, delta })),
    { type: "text-end", id }
  ]
}

/** How the run ended that a script was provided to, where it was one run. */
const ending = (value: unknown): string => {
  if (!(value instanceof Outcome)) return ""
  const text = value.text === "" ? "no text" : `the text ${JSON.stringify(cutText(value.text, 200, "…"))}`
  return ` The run ended as "${value.status}", with ${text}.`
}

/** Dies where a turn died or turns are left, unless the test has failed already. */
const allUsed = (scripts: ReadonlyArray<Script>) => (exit: Exit.Exit<unknown, unknown>) => {
  if (Exit.isFailure(exit)) return Effect.void
  const broken = scripts.find((one) => one.broken !== undefined)?.broken
  if (broken !== undefined) return Effect.failCause(broken)
  const left = scripts.find(({ turns, used }) => used < turns.length)
  return left === undefined
    ? Effect.void
    : Effect.die(
        placed(
          new WrongScript(
            `${called(left)} was not used up: turn ${left.used + 1} of ${left.turns.length} was never asked for.${ending(exit.value)}`
          ),
          left
        )
      )
}

const modelOf = (scripts: ReadonlyArray<Script>, pick: (seen: Seen) => Script) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.andThen(
      Effect.addFinalizer(allUsed(scripts)),
      LanguageModel.make({
        generateText: (options) =>
          Effect.suspend(() => {
            const seen = seenIn(options)
            return answered(pick(seen), seen)
          }),
        streamText: (options) =>
          Stream.fromIterableEffect(
            Effect.suspend(() => {
              const seen = seenIn(options)
              return Effect.map(answered(pick(seen), seen), (parts) => parts.flatMap(streamed))
            })
          )
      })
    )
  )

/**
 * A model that answers by a script.
 *
 * @param turns one for each time that it is asked; a function sees what the model sees
 */
export const script = (...turns: ReadonlyArray<TurnLike>): Layer.Layer<LanguageModel.LanguageModel> => {
  const place = placeOfCaller()
  return Layer.suspend(() => {
    const only: Script = { name: undefined, place, turns, used: 0, broken: undefined }
    return modelOf([only], () => only)
  })
}

/**
 * One model for several who ask it, each with a script of their own: for subagents, which share the model of their parent.
 *
 * @param pick whose turn it is, by what the model sees
 * @param scripts turns by that name
 */
export const cast = <const S extends { readonly [name: string]: ReadonlyArray<TurnLike> }>(
  pick: (seen: Seen) => keyof S & string,
  scripts: S
): Layer.Layer<LanguageModel.LanguageModel> => {
  const place = placeOfCaller()
  return Layer.suspend(() => {
    const all = new Map(
      Object.entries(scripts).map(([name, turns]): [string, Script] => [
        name,
        { name, place, turns, used: 0, broken: undefined }
      ])
    )
    return modelOf([...all.values()], (seen) => {
      const name = pick(seen)
      const found = all.get(name)
      if (found === undefined) throw new Error(`There is no script of ${JSON.stringify(name)}.`)
      return found
    })
  })
}

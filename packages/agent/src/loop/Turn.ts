/**
 * One turn of an agent: a task, then calls of the model and of tools in alternation, until there is an answer or
 * something ends it. A run is one turn, a conversation is many over one history.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type { AiError } from "effect/ai/AiError"
import type { LanguageModel } from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type { Misfit } from "@treadle/protocol/json"
import { AgentError, AgentReason } from "../AgentError.ts"
import type { Limits } from "../Limits.ts"
import { Outcome, type RunCall, type RunStatus } from "../Outcome.ts"
import type { Catalog } from "../toolbox/Catalog.ts"
import { refusal, type Finish, type Observation } from "../toolbox/Observation.ts"
import { exhausted } from "./Budget.ts"
import { planCompaction, plainSummary, summaryMessage, summaryRequest } from "./Compaction.ts"
import { askAgain, answerInText, givenAnswer, type AnswerForm } from "./FinalAnswer.ts"
import type { ModelCall } from "./History.ts"
import { LoopGuard } from "./LoopGuard.ts"
import { askStreaming, askWhole, type ModelAnswer } from "./ModelAnswer.ts"
import { systemMessages, type Told } from "./PromptParts.ts"
import { stoppable, type Stoppable, type StopSignal } from "./StopSignal.ts"
import { ToolStep, type StepParts } from "./ToolStep.ts"

/** What the turns of a run or a conversation stand on. */
export interface TurnParts extends StepParts {
  readonly told: Told
  readonly form: AnswerForm | undefined
  readonly limits: Limits
  readonly catalog: Catalog
  readonly model: LanguageModel
  /** Whether text is told of as it comes. */
  readonly streams: boolean
  /** How often a turn waits for a model that is not there before it fails; 0 for a single run. */
  readonly patience: number
  /** Told when a turn begins. */
  readonly begins: () => void
  /** Counts tokens for all that they are shared with. */
  readonly charge: (tokens: number) => void
  /** Whether the tokens that are shared with other runs are used up. */
  readonly sharedIsSpent: () => boolean
}

/** How often an answer that is not of its form is asked for once more. */
const repeats = 2

const cutShort: Observation = refusal("[no result: the call was given up]")

/** Milliseconds to wait for a model that is not there: 1 s, doubling to 30 s, a quarter more or less. */
const waitFor = (round: number, random: number): number => Math.min(1_000 * 2 ** round, 30_000) * (0.75 + random / 2)

/** What one step came to: the end of the turn, or nothing yet. */
type StepEnd<A> = Outcome<A> | undefined

/** One turn. */
class Turn<A> {
  readonly #parts: TurnParts
  readonly #signal: StopSignal
  readonly #began: number
  readonly #guard = new LoopGuard()
  readonly #calls: Array<RunCall> = []
  #steps = 0
  #input = 0
  #output = 0
  #text = ""
  #repeated = 0
  #abandoned = false

  constructor(parts: TurnParts, signal: StopSignal, began: number) {
    this.#parts = parts
    this.#signal = signal
    this.#began = began
  }

  /** Goes on until it ends; the history is whole then, whatever happened. */
  readonly run: Effect.Effect<Outcome<A>, AgentError> = Effect.suspend(() =>
    Effect.tapError(
      Effect.ensuring(
        this.#goOn(),
        Effect.sync(() => this.#seal(cutShort))
      ),
      () => Effect.sync(() => this.#ended("failed", true))
    )
  )

  #goOn(): Effect.Effect<Outcome<A>, AgentError> {
    return Effect.flatMap(this.#step(), (end) => (end === undefined ? this.#goOn() : Effect.succeed(end)))
  }

  #step(): Effect.Effect<StepEnd<A>, AgentError> {
    return Effect.gen({ self: this }, function* () {
      const { catalog, facts, history } = this.#parts
      if (catalog.stale) {
        const refreshed = yield* this.#within(catalog.refresh)
        if (refreshed._tag === "Stopped") return this.#stopped(refreshed)
      }
      const end = (yield* this.#overBudget()) ?? (yield* this.#shortened())
      if (end !== undefined) return end
      facts.emit({ _tag: "StepStarted", step: this.#steps + 1 })
      const asked = yield* this.#asked(this.#messages())
      if (asked._tag === "Stopped") return this.#stopped(asked)
      if (Result.isFailure(asked.value)) return yield* this.#unanswered(asked.value.failure)
      const answer = asked.value.success
      this.#text = answer.text === "" ? this.#text : answer.text
      const calls = history.answered(answer.parts)
      return calls.length === 0 ? yield* this.#answered(answer) : yield* this.#called(calls)
    })
  }

  #overBudget(): Effect.Effect<StepEnd<A>> {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      const { limits, sharedIsSpent } = this.#parts
      const spent = { steps: this.#steps, tokens: this.#input + this.#output, time: now - this.#began }
      const end = exhausted(limits, spent, sharedIsSpent())
      return end === undefined ? undefined : this.#ended(end, true)
    })
  }

  /** What the model is shown. */
  #messages(): ReadonlyArray<Prompt.Message> {
    const { catalog, history, told, toolbox } = this.#parts
    return [...systemMessages(told, catalog, toolbox.scope), ...history.messages]
  }

  #within<B, E>(effect: Effect.Effect<B, E>): Effect.Effect<Stoppable<B>, E> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      stoppable(effect, this.#signal, Math.max(0, this.#began + this.#parts.limits.deadline - now))
    )
  }

  /** Asks the model, which may take its time to be there where the turn is patient. */
  #asked(messages: ReadonlyArray<Prompt.Message>): Effect.Effect<Stoppable<Result.Result<ModelAnswer, AiError>>> {
    const { facts, model, patience, streams, toolbox } = this.#parts
    const tools = toolbox.modelTools
    const ask = streams
      ? askStreaming(model, messages, tools, (text) => facts.emit({ _tag: "TextDelta", text }))
      : askWhole(model, messages, tools)
    const patiently = (round: number): Effect.Effect<ModelAnswer, AiError> =>
      Effect.catch(ask, (error) => {
        if (round >= patience || !error.isRetryable) return Effect.fail(error)
        return Effect.flatMap(Random.next, (random) =>
          Effect.andThen(Effect.sleep(waitFor(round, random)), patiently(round + 1))
        )
      })
    return Effect.map(this.#within(Effect.result(patiently(0))), (asked) => {
      if (asked._tag === "Done" && Result.isSuccess(asked.value)) this.#count(asked.value.success)
      return asked
    })
  }

  #count({ finishReason, input, output, text }: ModelAnswer): void {
    const { charge, facts } = this.#parts
    this.#steps++
    this.#input += input
    this.#output += output
    charge(input + output)
    facts.emit({ _tag: "ModelAnswered", step: this.#steps, text, finishReason, input, output })
  }

  /** A model that does not answer: a provider's filter declines, anything else leaves the run without a model. */
  #unanswered(error: AiError): Effect.Effect<Outcome<A>, AgentError> {
    if (error.reason._tag === "ContentPolicyError") return Effect.succeed(this.#ended("refused", false))
    const { facts, patience } = this.#parts
    if (patience > 0) return Effect.succeed(this.#ended("failed", true, undefined, error.message))
    const reason = new AgentReason.IntelligenceUnavailable({ detail: error.message, cause: error })
    return Effect.fail(new AgentError({ agent: facts.agent, reason }))
  }

  /** The model calls nothing: that is its answer, whatever its provider says of the end. */
  #answered({ finishReason, text }: ModelAnswer): Effect.Effect<StepEnd<A>> {
    if (finishReason === "content-filter") return Effect.succeed(this.#ended("refused", false))
    // A provider that pauses wants to be asked to go on.
    if (finishReason === "pause") return Effect.succeed(undefined)
    const cut = finishReason === "length" || finishReason === "error"
    const { form } = this.#parts
    if (form === undefined) return Effect.succeed(this.#said(text, cut))
    return Effect.map(Effect.result(answerInText(form, text)), (read) => this.#formed(read, cut))
  }

  /** An answer in words; one without any is less than what was asked for. */
  #said(text: string, cut: boolean): Outcome<A> {
    return text.trim() === "" ? this.#ended("completed", true) : this.#ended("completed", cut, text)
  }

  #formed(read: Result.Result<unknown, Misfit>, cut: boolean): StepEnd<A> {
    if (Result.isSuccess(read)) return this.#ended("completed", cut, read.success)
    if (this.#repeated >= repeats) return this.#ended("completed", true)
    this.#repeated++
    this.#parts.history.say(askAgain(read.failure))
    return undefined
  }

  #called(calls: ReadonlyArray<ModelCall>): Effect.Effect<StepEnd<A>, AgentError> {
    const { toolbox } = this.#parts
    const waiting = new Set(calls.filter(({ name }) => toolbox.waits(name)))
    const working = calls.filter((call) => !waiting.has(call))
    const looping = this.#guard.counts(working)
    if (looping !== undefined) {
      this.#seal(refusal("[no result: the same call was made over and over, and the run was ended]"))
      return Effect.succeed(this.#ended(looping, true))
    }
    const step = new ToolStep(this.#parts, this.#calls).run(calls)
    return Effect.flatMap(this.#within(step), (ran): Effect.Effect<StepEnd<A>> => {
      const results = this.#seal(cutShort)
      if (ran._tag === "Stopped") return Effect.succeed(this.#stopped(ran))
      if (ran.value !== undefined) return this.#finished(ran.value)
      // A round that only waits brings nothing new, and that is fine.
      const learned = results.filter((_, index) => calls[index] !== undefined && !waiting.has(calls[index]))
      const stalled = working.length === 0 ? undefined : this.#guard.learns(working, learned)
      return Effect.succeed(stalled === undefined ? undefined : this.#ended(stalled, true))
    })
  }

  #finished({ answer, refused }: Finish): Effect.Effect<StepEnd<A>> {
    if (typeof answer === "string") this.#text = answer
    if (refused) return Effect.succeed(this.#ended("refused", false))
    const { form } = this.#parts
    if (form === undefined) {
      const text = answer === undefined ? this.#text : typeof answer === "string" ? answer : JSON.stringify(answer)
      return Effect.succeed(this.#said(text, false))
    }
    return Effect.map(Effect.result(givenAnswer(form, answer)), (read) => this.#formed(read, false))
  }

  /** Ends the round; its results have half of what the model can read at once, at four characters a token. */
  #seal(missing: Observation): ReadonlyArray<Observation> {
    const { history, limits } = this.#parts
    return history.seal(missing, limits.window * 2)
  }

  /**
   * Shortens the history where it grew too long; without a summary of the model, by one of what was called. The turn may
   * be stopped in that, or have used up its budget by it.
   */
  #shortened(): Effect.Effect<StepEnd<A>> {
    const { facts, history, limits } = this.#parts
    const plan = planCompaction(history.messages, history.sizes, limits.window)
    if (plan === undefined) return Effect.succeed(undefined)
    return Effect.flatMap(this.#summed(plan.text), (summed) => {
      if (summed._tag === "Stopped") return Effect.succeed(this.#stopped(summed))
      history.shorten(plan.until, summaryMessage(plan, summed.value ?? plainSummary(plan)))
      facts.emit({ _tag: "Compacted", removed: plan.until, kept: history.messages.length - 1 })
      return this.#overBudget()
    })
  }

  #summed(text: string): Effect.Effect<Stoppable<string | undefined>> {
    const { charge, model } = this.#parts
    const asked = model.generateText({ prompt: `${summaryRequest}\n\n${text}` })
    const summed = Effect.map(asked, ({ text: summary, usage }) => {
      const [input, output] = [usage.inputTokens.total ?? 0, usage.outputTokens.total ?? 0]
      this.#input += input
      this.#output += output
      charge(input + output)
      return summary.trim() === "" ? undefined : summary
    })
    return this.#within(Effect.catch(summed, () => Effect.succeed(undefined)))
  }

  #stopped({ abandoned, status }: Extract<Stoppable<unknown>, { _tag: "Stopped" }>): Outcome<A> {
    this.#abandoned ||= abandoned
    return this.#ended(status, true)
  }

  #ended(status: RunStatus, partial: boolean, answer?: unknown, error?: string): Outcome<A> {
    const { facts, form } = this.#parts
    const usage = { input: this.#input, output: this.#output, steps: this.#steps }
    facts.emit({ _tag: "RunEnded", status, partial, usage })
    const said = form === undefined && status !== "refused" && this.#text !== "" ? this.#text : undefined
    const given = answer === undefined ? said : answer
    return new Outcome<A>(
      {
        runId: facts.runId,
        status,
        partial,
        // What was decoded is of the form of the answer, and text where it has none.
        answer: given as A | undefined,
        text: this.#text,
        usage,
        ...(error === undefined ? {} : { error }),
        ...(this.#abandoned ? { abandoned: true } : {})
      },
      this.#calls.slice()
    )
  }
}

/**
 * Runs one turn.
 *
 * Fails with `AgentError` where a server or the model it cannot do without is not there; any other end is an outcome.
 *
 * @param task what is asked, added to the history
 * @param began milliseconds; now, where nothing is said
 */
export const runTurn = <A>(
  parts: TurnParts,
  task: string,
  signal: StopSignal,
  began?: number
): Effect.Effect<Outcome<A>, AgentError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    parts.begins()
    parts.history.say(task)
    return new Turn<A>(parts, signal, began ?? now).run
  })

/**
 * Agents for code that awaits: the same engine, with promises and asynchronous iteration.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { LanguageModel } from "effect/ai/LanguageModel"
import { Agent } from "../Agent.ts"
import type { AgentError } from "../AgentError.ts"
import { noModel } from "../AgentTree.ts"
import type { Agent as AgentValue } from "../AgentDefinition.ts"
import type { Conversation, ConversationStatus } from "../Conversation.ts"
import type { Outcome } from "../Outcome.ts"
import type { RunItem } from "../AgentRun.ts"
import type { RunOptions } from "../RunOptions.ts"
import type { Delivered } from "../Supervisor.ts"

/** Options of a run, with what it needs. */
export type PromiseOptions<R> = RunOptions & ([R] extends [never] ? { readonly model?: never } : ModelOption)

/** Where the model comes from, for agents without one of their own. */
export interface ModelOption {
  /** Where it fails, there is no run: `IntelligenceUnavailable`. */
  readonly model: Layer.Layer<LanguageModel, unknown>
}

/** The options may be left out where the agent has a model of its own. */
export type OptionsOf<R> = [R] extends [never] ? [options?: PromiseOptions<R>] : [options: PromiseOptions<R>]

const modelIn = (
  { name }: { readonly name: string },
  { model }: Partial<ModelOption>
): Layer.Layer<LanguageModel, AgentError> =>
  model === undefined
    ? // Without a model in the options the agent has its own, and nothing is asked of this layer.
      (Layer.empty as Layer.Layer<never> as Layer.Layer<LanguageModel>)
    : Layer.effectContext(Effect.mapError(Layer.build(model), (cause) => noModel(name, cause)))

/**
 * Runs one task.
 *
 * @param options the `model`, where the agent has none; `signal` ends the run with outcome `cancelled`
 * @returns the outcome; rejects with `AgentError` where there could be no run
 */
export const runAgent = <A, R extends LanguageModel>(
  agent: AgentValue<A, R>,
  task: string,
  ...[options]: OptionsOf<R>
): Promise<Outcome<A>> => {
  const given: RunOptions & Partial<ModelOption> = options ?? {}
  return Effect.runPromise(Effect.provide(Agent.run(agent as AgentValue<A>, task, given), modelIn(agent, given)))
}

/**
 * Runs one task and tells what happens; the outcome is the last item. Leaving the loop ends the run.
 */
export const streamAgent = <A, R extends LanguageModel>(
  agent: AgentValue<A, R>,
  task: string,
  ...[options]: OptionsOf<R>
): AsyncIterable<RunItem<A>> => {
  const given: RunOptions & Partial<ModelOption> = options ?? {}
  return Stream.toAsyncIterable(
    Stream.provide(Agent.stream(agent as AgentValue<A>, task, given), modelIn(agent, given))
  )
}

/** A conversation for code that awaits; `close` it, or declare it with `await using`. */
export interface PromiseConversation<A> {
  readonly runId: string
  /** Says something and waits for the outcome of its turn. */
  say(message: string): Promise<Outcome<A>>
  /** Queues a message and goes on; its outcome comes in `turns`. */
  deliver(message: string): Promise<Delivered>
  /** Outcomes of turns as they end, from when it is listened to. */
  readonly turns: AsyncIterable<Outcome<A>>
  /** Ends the turn under way, with outcome `cancelled`. */
  cancel(): Promise<void>
  status(): ConversationStatus
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const promised = <A>(inner: Conversation<A>, close: () => Promise<void>): PromiseConversation<A> => ({
  runId: inner.runId,
  say: (message) => Effect.runPromise(inner.say(message)),
  deliver: (message) => Effect.runPromise(inner.deliver(message)),
  turns: Stream.toAsyncIterable(inner.turns),
  cancel: () => Effect.runPromise(inner.cancel),
  status: () => Effect.runSync(inner.status),
  close,
  [Symbol.asyncDispose]: close
})

/**
 * Opens a conversation.
 *
 * @returns it; rejects with `AgentError` where there could be none
 */
export const converse = async <A, R extends LanguageModel>(
  agent: AgentValue<A, R>,
  ...[options]: OptionsOf<R>
): Promise<PromiseConversation<A>> => {
  const given: RunOptions & Partial<ModelOption> = options ?? {}
  const scope = Scope.makeUnsafe()
  const opened = Effect.flatMap(Layer.buildWithScope(modelIn(agent, given), scope), (context) =>
    Effect.provideContext(Agent.session(agent as AgentValue<A>, given), context)
  )
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    return promised(await Effect.runPromise(Scope.provide(opened, scope)), close)
  } catch (error) {
    await close()
    throw error
  }
}

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
import type { Agent as AgentValue, AnyAgent } from "../AgentDefinition.ts"
import type { Conversation, ConversationStatus } from "../Conversation.ts"
import type { Outcome } from "../Outcome.ts"
import type { RunItem } from "../AgentRun.ts"
import type { RunOptions } from "../RunOptions.ts"
import type { SecretStore } from "../Secret.ts"
import type { Delivered } from "../Supervisor.ts"
import type { Transcript } from "../Transcript.ts"

/** Where secrets are read from. */
export interface SecretsOption {
  /** Reads the credentials that servers and models name, such as `NodeSecrets.layer()` of `@treadle/agent/node`. */
  readonly secrets?: Layer.Layer<SecretStore>
}

/** Options of a run, with what it needs: a model, or what the agent's own model reads its key from. */
export type PromiseOptions<R> = RunOptions &
  (SecretStore extends R ? Required<SecretsOption> : SecretsOption) &
  (LanguageModel extends R ? ModelOption : { readonly model?: never })

/** Where the model comes from, for agents without one of their own. */
export interface ModelOption {
  /** Where it fails, there is no run: `IntelligenceUnavailable`. What it names is read from the option `secrets`. */
  readonly model: Layer.Layer<LanguageModel, unknown, SecretStore>
}

/** What the runs of an agent may need here. */
export type PromiseNeeds = LanguageModel | SecretStore

/** The options may be left out where the agent has a model of its own that needs nothing. */
export type OptionsOf<R> = [R] extends [never] ? [options?: PromiseOptions<R>] : [options: PromiseOptions<R>]

type Given = RunOptions & SecretsOption & Partial<ModelOption>

const modelIn = (
  { definition, name }: AnyAgent,
  { model }: Given
): Layer.Layer<LanguageModel, AgentError, SecretStore> => {
  if (model !== undefined)
    return Layer.effectContext(Effect.mapError(Layer.build(model), (cause) => noModel(name, cause)))
  return definition.model === undefined
    ? Layer.effectContext(Effect.fail(noModel(name, "there is none; give one as the option `model`, or to the agent")))
    : // The agent has its own, and nothing is asked of this layer.
      (Layer.empty as Layer.Layer<never> as Layer.Layer<LanguageModel>)
}

/** What a run is provided with: all that an agent may need, by the types of its options. */
const given = (agent: AnyAgent, options: Given): Layer.Layer<LanguageModel, AgentError> =>
  options.secrets === undefined
    ? // Who needs a store and finds none says so.
      (modelIn(agent, options) as Layer.Layer<LanguageModel, AgentError>)
    : Layer.provideMerge(modelIn(agent, options), options.secrets)

/**
 * Runs one task.
 *
 * @param options the `model`, where the agent has none; `secrets`, where its servers or its model name some; `signal` ends
 *   the run with outcome `cancelled`
 * @returns the outcome; rejects with `AgentError` where there could be no run
 *
 * @example
 * ```ts
 * import { Agent } from "@treadle/agent"
 * import { runAgent } from "@treadle/agent/promise"
 * import { AgentTest } from "@treadle/agent/test"
 *
 * const reviewer = Agent.make({ name: "reviewer", instruction: "You review pull requests." })
 * const outcome = await runAgent(reviewer, "Review PR 7", { model: AgentTest.script(AgentTest.say("LGTM")) })
 * outcome.text // => "LGTM"
 * ```
 */
export const runAgent = <A, R extends PromiseNeeds>(
  agent: AgentValue<A, R>,
  task: string,
  ...[options]: OptionsOf<R>
): Promise<Outcome<A>> => {
  const own: Given = options ?? {}
  return Effect.runPromise(Effect.provide(Agent.run(agent as AgentValue<A>, task, own), given(agent as AnyAgent, own)))
}

/**
 * Runs one task and tells what happens; the outcome is the last item. Leaving the loop ends the run.
 *
 * @param options as of `runAgent`; text is told of as it comes, unless `stream` is false
 */
export const streamAgent = <A, R extends PromiseNeeds>(
  agent: AgentValue<A, R>,
  task: string,
  ...[options]: OptionsOf<R>
): AsyncIterable<RunItem<A>> => {
  const own: Given = options ?? {}
  return Stream.toAsyncIterable(
    Stream.provide(Agent.stream(agent as AgentValue<A>, task, own), given(agent as AnyAgent, own))
  )
}

/** A conversation for code that awaits; `close` it, or declare it with `await using`. */
export interface PromiseConversation<A> {
  readonly runId: string
  /** Says something and waits for the outcome of its turn. */
  say(message: string): Promise<Outcome<A>>
  /**
   * Queues a message and goes on; its outcome comes in `turns`. Rejects with `ConversationFull` where 64 wait,
   * and with `ConversationClosed` once it is closed.
   */
  deliver(message: string): Promise<Delivered>
  /** Outcomes of turns as they end, from when it is listened to. */
  readonly turns: AsyncIterable<Outcome<A>>
  /** Ends the turn under way, with outcome `cancelled`. */
  cancel(): Promise<void>
  status(): ConversationStatus
  /** What was said until the last turn ended, to be kept, and given to another conversation as `transcript`. */
  transcript(): Transcript
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** @param broke hears of what a turn broke down of, so that closing does not say it once more */
const promised = <A>(
  inner: Conversation<A>,
  broke: (defect: unknown) => void,
  close: () => Promise<void>
): PromiseConversation<A> => ({
  runId: inner.runId,
  say: (message) => {
    const said = Effect.tapDefect(inner.say(message), (defect) => Effect.sync(() => broke(defect)))
    return Effect.runPromise(said)
  },
  deliver: (message) => Effect.runPromise(inner.deliver(message)),
  turns: Stream.toAsyncIterable(inner.turns),
  cancel: () => Effect.runPromise(inner.cancel),
  status: () => Effect.runSync(inner.status),
  transcript: () => Effect.runSync(inner.transcript),
  close,
  [Symbol.asyncDispose]: close
})

/**
 * Opens a conversation.
 *
 * @returns it; rejects with `AgentError` where there could be none
 *
 * @example
 * ```ts
 * import { Agent } from "@treadle/agent"
 * import { converse } from "@treadle/agent/promise"
 * import { AgentTest } from "@treadle/agent/test"
 *
 * const guide = Agent.make({ name: "guide", instruction: "You know the town." })
 * const model = AgentTest.script(AgentTest.say("Turn left."), AgentTest.say("Then right."))
 *
 * const conversation = await converse(guide, { model })
 * const first = await conversation.say("Where is the theatre?")
 * const second = await conversation.say("And then?")
 * await conversation.close()
 * first.text + " " + second.text // => "Turn left. Then right."
 * ```
 */
export const converse = async <A, R extends PromiseNeeds>(
  agent: AgentValue<A, R>,
  ...[options]: OptionsOf<R>
): Promise<PromiseConversation<A>> => {
  const own: Given = options ?? {}
  const scope = Scope.makeUnsafe()
  const opened = Effect.flatMap(Layer.buildWithScope(given(agent as AnyAgent, own), scope), (context) =>
    Effect.provideContext(Agent.session(agent as AgentValue<A>, own), context)
  )
  let end: Exit.Exit<void> = Exit.void
  const broke = (defect: unknown) => {
    end = Exit.die(defect)
  }
  const close = () => Effect.runPromise(Scope.close(scope, end))
  try {
    return promised(await Effect.runPromise(Scope.provide(opened, scope)), broke, close)
  } catch (error) {
    await close()
    throw error
  }
}

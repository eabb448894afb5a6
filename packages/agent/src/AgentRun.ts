/**
 * Ways to run an agent: one task to its outcome, the same as a stream of what happens, a conversation, and an agent whose
 * servers stay connected for many of them.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { LanguageModel } from "effect/ai/LanguageModel"
import type { Agent, AnyAgent } from "./AgentDefinition.ts"
import type { AgentError } from "./AgentError.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import { connectAgent, type AgentTree, type Connected } from "./AgentTree.ts"
import { conversation, type Conversation } from "./Conversation.ts"
import { makeStopSignal, requestStop, type StopSignal } from "./loop/StopSignal.ts"
import { runTurn } from "./loop/Turn.ts"
import type { Outcome } from "./Outcome.ts"
import type { RunOptions } from "./RunOptions.ts"

/** How often a conversation waits for a model that is not there. */
const patience = 8

const rootParts = (tree: AgentTree, { context, contract }: RunOptions, waits: number) =>
  tree.root({
    instruction: tree.definition.instruction,
    contract,
    context,
    patience: waits
  })

/** Lets a signal of the platform ask for the end. */
const heeding = <A, E, R>(
  signal: AbortSignal | undefined,
  stop: StopSignal,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (signal === undefined) return effect
  return Effect.suspend(() => {
    const onAbort = () => Effect.runSync(requestStop(stop, "cancelled"))
    if (signal.aborted) onAbort()
    signal.addEventListener("abort", onAbort)
    return Effect.ensuring(
      effect,
      Effect.sync(() => signal.removeEventListener("abort", onAbort))
    )
  })
}

const runIn = <A>(connected: Connected, task: string, options: RunOptions): Effect.Effect<Outcome<A>, AgentError> => {
  const stop = makeStopSignal()
  const ran = Effect.scoped(
    Effect.flatMap(connected.tree(options), (tree) => runTurn<A>(rootParts(tree, options, 0), task, stop))
  )
  return heeding(options.signal, stop, ran)
}

const sessionIn = <A>(connected: Connected, options: RunOptions): Effect.Effect<Conversation<A>, never, Scope.Scope> =>
  Effect.flatMap(connected.tree(options), (tree) => conversation<A>(rootParts(tree, options, patience)))

/**
 * Runs one task. The servers are connected for it, and closed at its end, also when it is interrupted.
 *
 * Fails with `AgentError` where there could be no run: a wrong definition, a server or a model that is not there. How the
 * run ended is its outcome, also when a budget ended it.
 *
 * @param agent what `Agent.make` gave
 * @param task what is asked
 */
export const run = <A, R>(
  agent: Agent<A, R>,
  task: string,
  options: RunOptions = {}
): Effect.Effect<Outcome<A>, AgentError, R> =>
  needing(
    agent,
    Effect.scoped(
      Effect.flatMap(connectAgent(agent as AnyAgent, options), (connected) => runIn<A>(connected, task, options))
    )
  )

/**
 * Opens a conversation: messages are answered one after another over one transcript. It ends with the scope.
 *
 * Fails with `AgentError` as `run` does. A turn that finds no model waits for it, and then ends as `failed`; the
 * transcript stays.
 */
export const session = <A, R>(
  agent: Agent<A, R>,
  options: RunOptions = {}
): Effect.Effect<Conversation<A>, AgentError, R | Scope.Scope> =>
  needing(
    agent,
    Effect.flatMap(connectAgent(agent as AnyAgent, options), (connected) => sessionIn<A>(connected, options))
  )

/** An agent whose servers are connected, for many runs and conversations. */
export interface ConnectedAgent<out A> {
  readonly run: (task: string, options?: RunOptions) => Effect.Effect<Outcome<A>, AgentError>
  readonly session: (options?: RunOptions) => Effect.Effect<Conversation<A>, never, Scope.Scope>
}

/**
 * Connects the servers of an agent once, for many runs and conversations. They stay connected until the scope closes.
 *
 * @param options what is told of connecting
 */
export const connect = <A, R>(
  agent: Agent<A, R>,
  options: RunOptions = {}
): Effect.Effect<ConnectedAgent<A>, AgentError, R | Scope.Scope> =>
  needing(
    agent,
    Effect.map(connectAgent(agent as AnyAgent, options), (connected) => ({
      run: (task, own = {}) => runIn<A>(connected, task, own),
      session: (own = {}) => sessionIn<A>(connected, own)
    }))
  )

/** What a stream of a run gives: what happens, and its outcome at the end. */
export type RunItem<A> = AgentEvent | { readonly _tag: "Outcome"; readonly outcome: Outcome<A> }

/**
 * Runs one task as a stream of what happens, subagents included; the outcome is its last item. The run begins when the
 * stream is read, and interrupting the stream interrupts it.
 *
 * Events wait without bound for who reads them: they are as many as the limits of the run allow.
 */
export const stream = <A, R>(
  agent: Agent<A, R>,
  task: string,
  options: RunOptions = {}
): Stream.Stream<RunItem<A>, AgentError, R> =>
  Stream.callback<RunItem<A>, AgentError, R>((queue) => {
    const onEvent = (event: AgentEvent) => {
      options.onEvent?.(event)
      Queue.offerUnsafe(queue, event)
    }
    return Effect.flatMap(run(agent, task, { stream: true, ...options, onEvent }), (outcome) =>
      Effect.andThen(Queue.offer(queue, { _tag: "Outcome", outcome }), Queue.end(queue))
    )
  })

/** What the run of an agent needs is what its type says: a model, or what its own model needs. */
const needing = <A, E, R, S>(
  _: Agent<unknown, R>,
  effect: Effect.Effect<A, E, S>
): Effect.Effect<A, E, R | Exclude<S, LanguageModel>> => effect as Effect.Effect<A, E, R | Exclude<S, LanguageModel>>

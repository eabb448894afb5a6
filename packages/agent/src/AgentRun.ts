/**
 * Ways to run an agent: one task to its outcome, the same as a stream of what happens, a conversation, and an agent whose
 * servers stay connected for many of them.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { LanguageModel } from "effect/ai/LanguageModel"
import type { Agent, AnyAgent } from "./AgentDefinition.ts"
import type { AgentError } from "./AgentError.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import { AgentMcp } from "./AgentMcp.ts"
import { connectAgent, conversationPatience, type Connected } from "./AgentTree.ts"
import { conversation, type Conversation } from "./Conversation.ts"
import { limitsOf } from "./Limits.ts"
import { heeding, makeStopSignal, stoppable, type StopSignal } from "./loop/StopSignal.ts"
import { runTurn } from "./loop/Turn.ts"
import { Outcome, type RunStatus } from "./Outcome.ts"
import { randomId } from "./RandomId.ts"
import { runFacts } from "./RunFacts.ts"
import type { RunOptions } from "./RunOptions.ts"

/** The options with the id of the run, which is told before there is a tree. */
const identified = (options: RunOptions): Effect.Effect<RunOptions & { readonly runId: string }> =>
  Effect.map(options.runId === undefined ? randomId : Effect.succeed(options.runId), (runId) => ({
    ...options,
    runId
  }))

const runTask = <A>(
  connected: Connected,
  task: string,
  options: RunOptions,
  stop: StopSignal,
  began?: number
): Effect.Effect<Outcome<A>, AgentError> =>
  Effect.scoped(
    Effect.flatMap(connected.tree(options), (tree) =>
      Effect.flatMap(tree.root(options, 0), (parts) => runTurn<A>(parts, task, stop, began))
    )
  )

const runIn = <A>(connected: Connected, task: string, options: RunOptions): Effect.Effect<Outcome<A>, AgentError> =>
  Effect.suspend(() => {
    const stop = makeStopSignal()
    return heeding(options.signal, stop, runTask<A>(connected, task, options, stop))
  })

/** The outcome of a run that ended before it could begin. */
const notBegun = <A>(
  agent: string,
  { onEvent, runId }: RunOptions & { readonly runId: string },
  status: RunStatus
): Outcome<A> => {
  const ended = { status, partial: true, usage: { input: 0, output: 0, steps: 0 } }
  runFacts({ agent, runId, path: "0", depth: 0 }, onEvent).emit({ _tag: "RunEnded", ...ended })
  return new Outcome<A>({ ...ended, runId, answer: undefined, text: "" }, [])
}

const sessionIn = <A>(connected: Connected, options: RunOptions): Effect.Effect<Conversation<A>, never, Scope.Scope> =>
  Effect.flatMap(connected.tree(options), (tree) =>
    Effect.flatMap(tree.root(options, conversationPatience), (parts) => conversation<A>(parts, options.signal))
  )

/**
 * Runs one task. The servers are connected for it, within its deadline, and closed at its end, also when it is
 * interrupted.
 *
 * Fails with `AgentError` where there could be no run: a wrong definition, a server or a model that is not there. How the
 * run ended is its outcome, also when a budget ended it.
 *
 * @param agent what `Agent.make` gave
 * @param task what is asked
 *
 * @example
 * ```ts
 * import { Agent } from "@treadle/agent"
 * import { AgentTest } from "@treadle/agent/test"
 * import * as Effect from "effect/Effect"
 *
 * const reviewer = Agent.make({ name: "reviewer", instruction: "You review pull requests." })
 * const model = AgentTest.script(AgentTest.say("LGTM"))
 *
 * const outcome = await Effect.runPromise(Agent.run(reviewer, "Review PR 7").pipe(Effect.provide(model)))
 * outcome.text // => "LGTM"
 * outcome.status // => "completed"
 * ```
 */
export const run = <A, R>(
  agent: Agent<A, R>,
  task: string,
  options: RunOptions = {}
): Effect.Effect<Outcome<A>, AgentError, R> =>
  needing(
    agent,
    Effect.flatMap(Effect.all([identified(options), Clock.currentTimeMillis]), ([own, began]) => {
      const stop = makeStopSignal()
      // A wrong definition fails before its deadline, which may be none, is looked at.
      const { deadline } = limitsOf(agent.definition.limits)
      const connected = stoppable(connectAgent(agent as AnyAgent, own, AgentMcp.make), stop, deadline)
      const ran = Effect.flatMap(connected, (came) =>
        came._tag === "Stopped"
          ? Effect.sync(() => notBegun<A>(agent.name, own, came.status))
          : runTask<A>(came.value, task, own, stop, began)
      )
      return heeding(options.signal, stop, Effect.scoped(ran))
    })
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
    Effect.flatMap(connectAgent(agent as AnyAgent, options, AgentMcp.make), (connected) =>
      sessionIn<A>(connected, options)
    )
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
    Effect.map(connectAgent(agent as AnyAgent, options, AgentMcp.make), (connected) => ({
      run: (task, own = {}) => runIn<A>(connected, task, own),
      session: (own = {}) => sessionIn<A>(connected, own)
    }))
  )

/** Events that may wait for who reads a stream before progress is left out. */
const waitingEvents = 1_000

/** What a stream of a run gives: what happens, and its outcome at the end. */
export type RunItem<A> = AgentEvent | { readonly _tag: "Outcome"; readonly outcome: Outcome<A> }

/**
 * Runs one task as a stream of what happens, subagents included; the outcome is its last item. The run begins when the
 * stream is read, and interrupting the stream interrupts it.
 *
 * Events wait for who reads them: they are as many as the limits of the run allow. Servers tell of progress as often as
 * they like, so what they tell is left out while 1,000 events wait.
 */
export const stream = <A, R>(
  agent: Agent<A, R>,
  task: string,
  options: RunOptions = {}
): Stream.Stream<RunItem<A>, AgentError, R> =>
  Stream.callback<RunItem<A>, AgentError, R>((queue) => {
    const onEvent = (event: AgentEvent) => {
      if (event._tag !== "ToolProgress" || Queue.sizeUnsafe(queue) < waitingEvents) Queue.offerUnsafe(queue, event)
      options.onEvent?.(event)
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

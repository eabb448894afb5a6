/**
 * How a served agent runs what others spawn: as the agent itself, each at the top of a tree of its own. Its servers are
 * connected when the first one is spawned, and shared from then on.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Json, Misfit } from "@treadle/protocol/json"
import { taggedServers } from "./AgentChecks.ts"
import type { AnyDefinition } from "./AgentDefinition.ts"
import type { AgentError } from "./AgentError.ts"
import { conversationPatience, type AgentTree, type Connected } from "./AgentTree.ts"
import { limitsOf } from "./Limits.ts"
import { runTurn } from "./loop/Turn.ts"
import { stoppable, type StopSignal } from "./loop/StopSignal.ts"
import type { Outcome } from "./Outcome.ts"
import { runFacts } from "./RunFacts.ts"
import type { RunOptions } from "./RunOptions.ts"
import type { ChildOutcome, ChildRunner, ChildSpec } from "./supervise/ChildRunner.ts"

/**
 * Connects when it is first needed, and keeps that. Whoever needs it meanwhile waits for the same; an attempt that failed
 * is given back whole, and the next need is another one.
 *
 * @param scope what the connection lives in
 */
export const connectedOnce = <A, E>(
  connect: Effect.Effect<A, E, Scope.Scope>,
  scope: Scope.Scope
): Effect.Effect<A, E> => {
  let attempt: Deferred.Deferred<A, E> | undefined
  const begun = (own: Deferred.Deferred<A, E>): Effect.Effect<unknown> =>
    Effect.flatMap(Scope.fork(scope), (inner) => {
      const connected = Effect.onExit(Effect.provideService(connect, Scope.Scope, inner), (exit) => {
        if (Exit.isSuccess(exit)) return Effect.void
        attempt = undefined
        return Scope.close(inner, exit)
      })
      return Effect.forkIn(Deferred.into(connected, own), scope, { startImmediately: true })
    })
  return Effect.suspend(() => {
    if (attempt !== undefined) return Deferred.await(attempt)
    const own = Deferred.makeUnsafe<A, E>()
    attempt = own
    return Effect.andThen(begun(own), Deferred.await(own))
  })
}

const unprintable = ({ problems }: Misfit): Effect.Effect<never> =>
  Effect.die(new Error(`The answer of an agent has no JSON: ${problems.join("; ")}`))

/** An outcome with its answer as JSON. */
const outcomeOf = ({ form }: AgentTree, outcome: Outcome<unknown>): Effect.Effect<ChildOutcome> => {
  const { abandoned, answer, error, partial, status, text } = outcome
  const ended = (json: Json | undefined): ChildOutcome => ({
    status,
    partial,
    text,
    answer: json,
    ...(error === undefined ? {} : { error }),
    ...(abandoned === undefined ? {} : { abandoned })
  })
  if (form === undefined) return Effect.succeed(ended(answer as string | undefined))
  return answer === undefined
    ? Effect.succeed(ended(undefined))
    : Effect.map(Effect.catch(form.encode(answer), unprintable), ended)
}

/**
 * @param connected the agent with its servers
 * @param options of every run
 */
export const servedRunner = (
  definition: AnyDefinition,
  connected: Effect.Effect<Connected, AgentError>,
  runId: string,
  options: RunOptions
): ChildRunner => {
  const { deadline } = limitsOf(definition.limits)
  const treeOf = ({ ledger }: ChildSpec) => Effect.flatMap(connected, ({ tree }) => tree(options, ledger))
  return {
    servers: taggedServers(definition),
    allowTrifecta: definition.allowTrifecta === true,
    run: (spec, stop) =>
      Effect.flatMap(Clock.currentTimeMillis, (began) =>
        Effect.flatMap(stoppable(treeOf(spec), stop, deadline), (came): Effect.Effect<ChildOutcome, AgentError> => {
          if (came._tag === "Stopped") {
            return Effect.succeed({ status: came.status, partial: true, answer: undefined, text: "" })
          }
          const tree = came.value
          const ran = runTurn(tree.top(spec, 0), spec.request.instruction, stop, began)
          return Effect.flatMap(ran, (outcome) => outcomeOf(tree, outcome))
        })
      ),
    open: (spec) =>
      Effect.map(treeOf(spec), (tree) => {
        const parts = tree.top(spec, conversationPatience)
        const turn = (message: string, stop: StopSignal) =>
          Effect.flatMap(runTurn(parts, message, stop), (outcome) => outcomeOf(tree, outcome))
        return { turn }
      }),
    emit: ({ depth, path }, event) =>
      runFacts({ agent: definition.name, runId, path, depth }, options.onEvent).emit(event)
  }
}

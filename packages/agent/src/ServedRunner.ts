/**
 * How a served agent runs what others spawn: as the agent itself, each at the top of a tree of its own. Its servers are
 * connected when the first one is spawned, and shared from then on.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Json, Misfit } from "@treadle/protocol/json"
import { taggedServers } from "./AgentChecks.ts"
import type { AgentDefinition } from "./AgentDefinition.ts"
import type { AgentError } from "./AgentError.ts"
import { conversationPatience, type AgentTree, type Connected } from "./AgentTree.ts"
import { runTurn } from "./loop/Turn.ts"
import type { StopSignal } from "./loop/StopSignal.ts"
import type { Outcome } from "./Outcome.ts"
import { runFacts } from "./RunFacts.ts"
import type { RunOptions } from "./RunOptions.ts"
import type { ChildOutcome, ChildRunner, ChildSpec } from "./supervise/ChildRunner.ts"

/** Connects once; whoever needs it in the meantime waits, and one that failed is tried again. */
export const connectedOnce = <A, E>(connect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const turn = Semaphore.makeUnsafe(1)
  let known: A | undefined
  return Effect.suspend(() =>
    known !== undefined
      ? Effect.succeed(known)
      : turn.withPermit(
          Effect.suspend(() =>
            known !== undefined
              ? Effect.succeed(known)
              : Effect.map(connect, (connected) => {
                  known = connected
                  return connected
                })
          )
        )
  )
}

const unprintable = ({ problems }: Misfit): Effect.Effect<never> =>
  Effect.die(new Error(`The answer of an agent has no JSON: ${problems.join("; ")}`))

/** An outcome with its answer as JSON. */
const outcomeOf = ({ form }: AgentTree, outcome: Outcome<unknown>): Effect.Effect<ChildOutcome> => {
  const { abandoned, answer, error, partial, status, text } = outcome
  const with_ = (json: Json | undefined): ChildOutcome => ({
    status,
    partial,
    text,
    answer: json,
    ...(error === undefined ? {} : { error }),
    ...(abandoned === undefined ? {} : { abandoned })
  })
  if (form === undefined) return Effect.succeed(with_(answer as string | undefined))
  return answer === undefined
    ? Effect.succeed(with_(undefined))
    : Effect.map(Effect.catch(form.encode(answer), unprintable), with_)
}

/**
 * @param connected the agent with its servers
 * @param options of every run
 */
export const servedRunner = (
  definition: AgentDefinition<unknown, unknown>,
  connected: Effect.Effect<Connected, AgentError>,
  runId: string,
  options: RunOptions
): ChildRunner => {
  const treeOf = ({ ledger }: ChildSpec) => Effect.flatMap(connected, ({ tree }) => tree(options, ledger))
  return {
    servers: taggedServers(definition),
    allowTrifecta: definition.allowTrifecta === true,
    run: (spec, stop) =>
      Effect.flatMap(treeOf(spec), (tree) =>
        Effect.flatMap(runTurn(tree.top(spec, 0), spec.request.instruction, stop), (outcome) =>
          outcomeOf(tree, outcome)
        )
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

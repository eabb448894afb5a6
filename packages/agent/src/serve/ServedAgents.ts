/**
 * What a served agent runs for others: who started what, under which handle, and what is told of it. It lives as long as
 * the agent is served.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Limits } from "../Limits.ts"
import {
  HandleRefused,
  type CancelAck,
  type Delivered,
  type SpawnRefused,
  type SpawnRequest,
  type SubagentState
} from "../Supervisor.ts"
import type { Child } from "../supervise/Child.ts"
import type { ChildRunner } from "../supervise/ChildRunner.ts"
import { ServedPolicy } from "../supervise/SpawnPolicy.ts"
import { SupervisorLive } from "../supervise/SupervisorLive.ts"
import type { ServedStatus } from "./AgentContract.ts"

/** Whose handles they are: of the principal that spawned, or of anybody who knows them. */
export type Ownership = "principal" | "any"

/** What is settled when the agent is served. */
export interface ServedFacts {
  readonly runId: string
  readonly mode: string
  readonly version: string
  readonly pid: number
  readonly ownership: Ownership
}

/** The address of the state of one that was spawned. */
export const subagentUri = (handle: string): string => `agent://subagent/${handle}`

/** Who asks, where that is known. */
export type Caller = string | undefined

export class LiveServedAgents {
  readonly #facts: ServedFacts
  readonly #since: number
  readonly #supervisor: SupervisorLive

  /**
   * @param since milliseconds
   * @param ended told of a handle once its terminal state is written
   */
  constructor(facts: ServedFacts, limits: Limits, runner: ChildRunner, since: number, ended: (handle: string) => void) {
    this.#facts = facts
    this.#since = since
    this.#supervisor = new SupervisorLive({ path: "0", depth: 0, scope: "all" }, new ServedPolicy(limits), {
      ...runner,
      emit: (place, event) => {
        runner.emit(place, event)
        if (event._tag === "SubagentEnded") ended(event.handle)
      }
    })
  }

  /** Ends everything that runs. */
  get close(): Effect.Effect<void> {
    return this.#supervisor.close
  }

  readonly status: Effect.Effect<ServedStatus> = Effect.map(Clock.currentTimeMillis, (now) => {
    const { mode, pid, runId, version } = this.#facts
    const { table } = this.#supervisor
    return {
      run_id: runId,
      mode,
      version,
      pid,
      uptime_ms: now - this.#since,
      inflight_spawns: table.running("once") + table.running("warm"),
      total_spawns: table.started
    }
  })

  /**
   * Starts one. A sync one is over when this returns, and cannot be looked up afterwards.
   *
   * @param call whether it `ends`, asked when its call is given up, and the `depth` of the caller
   */
  spawn(
    request: SpawnRequest,
    caller: Caller,
    { depth, ends }: { readonly ends: () => boolean; readonly depth: number }
  ): Effect.Effect<SubagentState, SpawnRefused> {
    const { table } = this.#supervisor
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(this.#supervisor.start(request, { owner: caller, depth }), (child) => {
        if (child.mode !== "sync") return this.#state(child)
        const over = Effect.ensuring(
          Deferred.await(child.ended),
          Effect.sync(() => table.forget(child.handle))
        )
        const left = Effect.suspend(() =>
          ends()
            ? this.#supervisor.halting(child)
            : Effect.asVoid(Effect.forkDetach(Effect.interruptible(over), { startImmediately: true }))
        )
        return Effect.andThen(
          Effect.onInterrupt(restore(Deferred.await(child.ended)), () => left),
          () => {
            table.forget(child.handle)
            return this.#state(child)
          }
        )
      })
    )
  }

  send(handle: string, message: string, caller: Caller): Effect.Effect<Delivered, HandleRefused> {
    return Effect.flatMap(this.#of(handle, caller), () => this.#supervisor.send(handle, message))
  }

  /** A warm one that ended can be looked up once more. */
  read(handle: string, caller: Caller): Effect.Effect<SubagentState, HandleRefused> {
    return Effect.flatMap(this.#of(handle, caller), (child) => {
      if (child.mode === "warm" && child.done) this.#supervisor.table.forget(handle)
      return this.#state(child)
    })
  }

  /** A warm one cannot be looked up from then on. */
  cancel(handle: string, caller: Caller): Effect.Effect<CancelAck, HandleRefused> {
    return Effect.flatMap(this.#of(handle, caller), (child) =>
      Effect.map(this.#supervisor.cancel(handle), (ack) => {
        if (child.mode === "warm") this.#supervisor.table.forget(handle)
        return ack
      })
    )
  }

  /** The state of a run, as its resource tells it; warm ones have none. */
  resource(handle: string, caller: Caller): Effect.Effect<SubagentState | undefined> {
    const child = this.#mine(handle, caller)
    return child === undefined || child.mode === "warm" ? Effect.succeed(undefined) : this.#state(child)
  }

  /** Why nobody can be told of a change of it, where that is so. */
  unheard(handle: string, caller: Caller): string | undefined {
    const child = this.#mine(handle, caller)
    if (child === undefined || child.mode === "warm") return "there is no such run"
    return child.done ? "the run has finished already; read it" : undefined
  }

  #mine(handle: string, caller: Caller): Child | undefined {
    const child = this.#supervisor.table.get(handle)
    return this.#facts.ownership === "any" || child?.owner === caller ? child : undefined
  }

  #of(handle: string, caller: Caller): Effect.Effect<Child, HandleRefused> {
    const child = this.#mine(handle, caller)
    return child === undefined ? Effect.fail(new HandleRefused({ handle, why: "unknown" })) : Effect.succeed(child)
  }

  #state(child: Child): Effect.Effect<SubagentState> {
    return Effect.map(Clock.currentTimeMillis, (now) => child.state(now))
  }
}

/** The served agent's live part, as its handlers have it. */
export class ServedAgents extends Context.Service<ServedAgents, LiveServedAgents>()("@treadle/agent/ServedAgents") {}

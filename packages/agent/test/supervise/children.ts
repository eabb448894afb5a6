/**
 * A supervisor over children that do what a test wants, without a model.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { AgentError, AgentEventBody, SpawnRequest, Supervisor } from "@treadle/agent"
import { defaultLimits, type Limits } from "../../src/Limits.ts"
import type { StopSignal } from "../../src/loop/StopSignal.ts"
import type { ChildOutcome, ChildRunner, ChildSpec } from "../../src/supervise/ChildRunner.ts"
import { Ledger } from "../../src/supervise/Ledger.ts"
import { ServedPolicy, TreePolicy, type SpawnPolicy } from "../../src/supervise/SpawnPolicy.ts"
import { SupervisorLive } from "../../src/supervise/SupervisorLive.ts"
import type { ToolScope } from "../../src/ToolScope.ts"

/** What a child does; `own` is its own supervisor. */
export type Act = (child: {
  readonly spec: ChildSpec
  readonly stop: StopSignal
  readonly own: Supervisor
}) => Effect.Effect<ChildOutcome, AgentError>

/** What a child answers that completes. */
export const completed = (text: string): ChildOutcome => ({ status: "completed", partial: false, answer: text, text })

export const says =
  (text: string): Act =>
  () =>
    Effect.succeed(completed(text))

/** Goes on until it is asked to end, and ends then. */
export const listens: Act = ({ stop }) =>
  Effect.map(Deferred.await(stop), (status) => ({ status, partial: true, answer: undefined, text: "" }))

/** Hears no wish, and can be interrupted. */
export const deaf: Act = () => Effect.never

/** Reacts to nothing, until the gate opens. */
export const stuck =
  (gate: Deferred.Deferred<void>): Act =>
  () =>
    Effect.uninterruptible(Effect.as(Deferred.await(gate), completed("late")))

export interface Told {
  readonly path: string
  readonly event: AgentEventBody
}

interface DeskSettings {
  readonly limits?: Partial<Limits>
  readonly servers?: ChildRunner["servers"]
  readonly allowTrifecta?: boolean
  readonly scope?: ToolScope
  readonly policy?: SpawnPolicy
  readonly ledger?: Ledger
  readonly hears?: (told: Told) => void
}

/** A supervisor at the root; children act by the first word of their instruction. */
export const desk = (acts: { readonly [name: string]: Act }, settings: DeskSettings = {}) => {
  const limits = { ...defaultLimits, ...settings.limits }
  const ledger = settings.ledger ?? new Ledger(limits)
  const told: Array<Told> = []
  const specs: Array<ChildSpec> = []
  const act = (spec: ChildSpec, name: string, stop: StopSignal): Effect.Effect<ChildOutcome, AgentError> => {
    const found = acts[name.split(" ")[0] ?? ""]
    if (found === undefined) return Effect.die(new Error(`There is no act of ${JSON.stringify(name)}.`))
    let own: Supervisor | undefined
    return found({
      spec,
      stop,
      get own() {
        return (own ??= spec.below(runner))
      }
    })
  }
  const runner: ChildRunner = {
    servers: settings.servers ?? [],
    allowTrifecta: settings.allowTrifecta === true,
    run: (spec, stop) => {
      specs.push(spec)
      return act(spec, spec.request.instruction, stop)
    },
    open: (spec) =>
      Effect.sync(() => {
        specs.push(spec)
        return { turn: (message, stop) => act(spec, message, stop) }
      }),
    emit: ({ path }, event) => {
      told.push({ path, event })
      settings.hears?.({ path, event })
    }
  }
  const place = { path: "0", depth: 0, scope: settings.scope ?? "all" }
  const supervisor = new SupervisorLive(place, settings.policy ?? new TreePolicy(limits, ledger), runner)
  return { supervisor, ledger, told, specs }
}

export const servedDesk = (acts: { readonly [name: string]: Act }, settings: DeskSettings = {}) =>
  desk(acts, { ...settings, policy: new ServedPolicy({ ...defaultLimits, ...settings.limits }) })

export const asked = (instruction: string, more: Partial<SpawnRequest> = {}): SpawnRequest => ({
  instruction,
  mode: "sync",
  ...more
})

/** The text of a refusal; it fails the test where there is none. */
export const refusalOf = <A>(spawned: Effect.Effect<A, { readonly message: string }>): Effect.Effect<string> =>
  Effect.map(Effect.flip(spawned), ({ message }) => message) as Effect.Effect<string>

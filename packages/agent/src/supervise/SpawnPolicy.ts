/**
 * What bounds the starts of one caller: a run that starts subagents, or a served agent that others start.
 */
import type { Limits } from "../Limits.ts"
import type { SpawnMode, SpawnRefusal } from "../Supervisor.ts"
import type { ChildTable } from "./ChildTable.ts"
import { Ledger } from "./Ledger.ts"

/** The bounds of one caller. */
export interface SpawnPolicy {
  readonly limits: Limits
  /** The name that the caller knows a child by. */
  readonly handle: (number: number, path: string) => string
  /** Why one more is refused. @param at the path of the caller */
  readonly refuses: (mode: SpawnMode, table: ChildTable, at: string, now: number) => SpawnRefusal | undefined
  /** Counts one that is accepted. */
  readonly accepted: (now: number) => void
  /** How many the caller may look up; the oldest that ended goes first. */
  readonly kept: number
  /** The bounds and the account of what it starts. */
  readonly below: () => TreePolicy
}

/** The bounds of a run in its loop; they hold for everything below it, over one account. */
export class TreePolicy implements SpawnPolicy {
  readonly limits: Limits
  readonly ledger: Ledger
  readonly kept = Number.POSITIVE_INFINITY

  constructor(limits: Limits, ledger: Ledger) {
    this.limits = limits
    this.ledger = ledger
  }

  readonly handle = (_: number, path: string): string => path

  readonly refuses = (_: SpawnMode, table: ChildTable, at: string, now: number): SpawnRefusal | undefined => {
    const { children } = this.limits
    if (table.startedInTurn >= children) return { _tag: "Children", limit: children, at }
    return this.ledger.refuses(now)
  }

  readonly accepted = (now: number): void => this.ledger.started(now)

  readonly below = (): TreePolicy => this
}

/** Runs of a served agent at one time, warm ones at one time, and those that can be looked up. */
export const servedLimits = { concurrent: 4, warm: 8, tracked: 64 }

/**
 * The bounds of a served agent. It is no run itself, so each that it starts is the top of a tree with an account of its
 * own.
 */
export class ServedPolicy implements SpawnPolicy {
  readonly limits: Limits
  readonly kept = servedLimits.tracked

  constructor(limits: Limits) {
    this.limits = limits
  }

  readonly handle = (number: number): string => `served.${number}`

  readonly refuses = (mode: SpawnMode, table: ChildTable): SpawnRefusal | undefined => {
    const { concurrent, warm } = servedLimits
    const running = table.running(mode === "warm" ? "warm" : "once")
    if (mode === "warm") return running >= warm ? { _tag: "Warm", limit: warm } : undefined
    return running >= concurrent ? { _tag: "Concurrent", limit: concurrent } : undefined
  }

  readonly accepted = (): void => {}

  readonly below = (): TreePolicy => new TreePolicy(this.limits, new Ledger(this.limits))
}

/**
 * The one place where agents are started below others. One caller has one supervisor; those of its children hang below
 * it, so that a whole tree ends from its top. Nothing is looked at again and again: whoever waits is woken.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AgentError } from "../AgentError.ts"
import {
  HandleRefused,
  SpawnRefused,
  type CancelAck,
  type Delivered,
  type SpawnRefusal,
  type SpawnRequest,
  type SubagentState,
  type Supervisor
} from "../Supervisor.ts"
import { isTrifecta } from "../Tag.ts"
import { ToolScope } from "../ToolScope.ts"
import { Child, type Below } from "./Child.ts"
import type { ChildOutcome, ChildRunner, ChildSpec, RunPlace } from "./ChildRunner.ts"
import { ChildTable } from "./ChildTable.ts"
import type { SpawnPolicy } from "./SpawnPolicy.ts"
import { halt } from "./StopLadder.ts"

const stateOf = (child: Child): Effect.Effect<SubagentState> =>
  Effect.map(Clock.currentTimeMillis, (now) => child.state(now))

/** Why there was no run, and what is wrong with a program, goes to the log: whoever waits is told in brief. */
const logged = <A>({ handle }: Child, ran: Effect.Effect<A, AgentError>): Effect.Effect<A, AgentError> =>
  Effect.tapError(
    Effect.tapCauseIf(ran, Cause.hasDies, (cause) => Effect.logError(`The subagent ${handle} broke down.`, cause)),
    ({ message }) => Effect.logError(`The subagent ${handle} could not be run: ${message}`)
  )

/** Who starts a child, where that is not the caller whose supervisor it is. */
export interface Starter {
  readonly owner?: string | undefined
  /** How deep it says that it is; what is less than the place of the supervisor counts for nothing. */
  readonly depth?: number
}

export class SupervisorLive implements Supervisor, Below {
  readonly #place: RunPlace
  readonly #policy: SpawnPolicy
  readonly #runner: ChildRunner
  readonly table = new ChildTable()
  #draining = false

  /** @param place where the caller stands; its own scope is what its children may have at most */
  constructor(place: RunPlace, policy: SpawnPolicy, runner: ChildRunner) {
    this.#place = place
    this.#policy = policy
    this.#runner = runner
  }

  readonly turn = (): void => this.table.turn()

  readonly spawn = (request: SpawnRequest): Effect.Effect<SubagentState, SpawnRefused> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(this.start(request), (child) => {
        if (child.mode !== "sync") return stateOf(child)
        // Who waits for it is the only one who can read its result.
        const waited = Effect.onInterrupt(restore(Deferred.await(child.ended)), () => this.halting(child))
        return Effect.andThen(waited, stateOf(child))
      })
    )

  /** Starts one and waits for nothing. @param starter who starts it, where several may */
  start(request: SpawnRequest, starter: Starter = {}): Effect.Effect<Child, SpawnRefused> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.suspend(() => {
        const admitted = this.#admit(request, starter, now)
        if (Result.isFailure(admitted)) return Effect.fail(new SpawnRefused({ reason: admitted.failure }))
        return this.#started(admitted.success, request)
      })
    )
  }

  readonly send = (handle: string, message: string): Effect.Effect<Delivered, HandleRefused> =>
    Effect.suspend(() => {
      const child = this.table.get(handle)
      if (child === undefined) return Effect.fail(new HandleRefused({ handle, why: "unknown" }))
      if (child.mode !== "warm") return Effect.fail(new HandleRefused({ handle, why: "not_warm" }))
      if (child.done || child.asked) return Effect.fail(new HandleRefused({ handle, why: "ended" }))
      const delivered = child.deliver(message)
      return delivered === undefined
        ? Effect.fail(new HandleRefused({ handle, why: "full" }))
        : Effect.succeed(delivered)
    })

  readonly status = (handle: string): Effect.Effect<SubagentState, HandleRefused> =>
    Effect.flatMap(this.#found(handle), stateOf)

  readonly await = (handle: string, millis: number): Effect.Effect<SubagentState, HandleRefused> =>
    Effect.flatMap(this.#found(handle), (child) => {
      const { ended, lastAnswered, mode } = child
      if (mode === "warm" && lastAnswered === undefined) return stateOf(child)
      const over = Deferred.await(ended)
      const waited = lastAnswered === undefined ? over : Effect.raceFirst(over, Deferred.await(lastAnswered))
      return Effect.andThen(Effect.timeoutOption(waited, millis), stateOf(child))
    })

  readonly cancel = (handle: string): Effect.Effect<CancelAck, HandleRefused> =>
    Effect.flatMap(this.#found(handle), (child) => {
      const ack: CancelAck = { cancelled: !child.done, mode: child.mode }
      return child.done ? Effect.succeed(ack) : Effect.as(this.halting(child), ack)
    })

  readonly list: Effect.Effect<ReadonlyArray<SubagentState>> = Effect.map(Clock.currentTimeMillis, (now) =>
    this.table.all.map((child) => child.state(now))
  )

  readonly drain = (): void => {
    this.#draining = true
    for (const child of this.table.live) child.below?.drain()
  }

  readonly live = (): ReadonlyArray<Child> =>
    this.table.live.flatMap((child) => [...(child.below?.live() ?? []), child]).toSorted((a, b) => b.depth - a.depth)

  /** Ends everything that was started here; nothing else is started. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.drain()
    return halt(this.live())
  })

  /** Ends one child with everything below it, in the background. */
  halting(child: Child): Effect.Effect<void> {
    return Effect.suspend(() => {
      child.below?.drain()
      const children = [...(child.below?.live() ?? []), child]
      return Effect.asVoid(Effect.forkDetach(halt(children), { startImmediately: true }))
    })
  }

  #found(handle: string): Effect.Effect<Child, HandleRefused> {
    const child = this.table.get(handle)
    return child === undefined ? Effect.fail(new HandleRefused({ handle, why: "unknown" })) : Effect.succeed(child)
  }

  /** Takes one up or says why not; a number is used by those that are taken up only. */
  #admit({ mode, servers }: SpawnRequest, starter: Starter, now: number): Result.Result<Child, SpawnRefusal> {
    const { path } = this.#place
    const depth = Math.max(this.#place.depth, starter.depth ?? 0)
    const { limits } = this.#policy
    if (this.#draining) return Result.fail({ _tag: "Draining" })
    if (depth >= limits.depth) return Result.fail({ _tag: "Depth", limit: limits.depth, at: path })
    const refused = this.#policy.refuses(mode, this.table, path, now)
    if (refused !== undefined) return Result.fail(refused)
    return Result.map(this.#scopeOf(servers), (scope) => {
      const number = this.table.started
      const own = `${path}.${number}`
      const handle = this.#policy.handle(number, own)
      const facts = { handle, path: own, depth: depth + 1, scope, mode, since: now, owner: starter.owner }
      const child = new Child(facts, (status) =>
        this.#runner.emit(this.#place, { _tag: "SubagentEnded", handle, status })
      )
      this.#policy.accepted(now)
      this.table.add(child, this.#policy.kept)
      return child
    })
  }

  #scopeOf(asked: ReadonlyArray<string> | undefined): Result.Result<ToolScope, SpawnRefusal> {
    const { allowTrifecta, servers } = this.#runner
    const known = servers.map(({ name }) => name)
    const narrowed = ToolScope.narrow(this.#place.scope, asked, known)
    if (Result.isFailure(narrowed)) return Result.fail({ _tag: "ToolScope", servers: narrowed.failure })
    const held = servers.filter(({ name }) => ToolScope.has(narrowed.success, name))
    return !allowTrifecta && isTrifecta(held.map(({ tags }) => tags))
      ? Result.fail({ _tag: "Trifecta", servers: held.map(({ name }) => name) })
      : Result.succeed(narrowed.success)
  }

  /** Its fiber is nobody's child: it ends by itself or by the ladder, and holds its place until then. */
  #started(child: Child, request: SpawnRequest): Effect.Effect<Child> {
    this.#runner.emit(this.#place, { _tag: "SubagentStarted", handle: child.handle, depth: child.depth })
    const spec = this.#spec(child, request)
    if (child.mode === "warm") child.deliver(request.instruction)
    const ran = child.mode === "warm" ? this.#warm(spec, child) : this.#runner.run(spec, child.stop)
    const whole = Effect.onExit(logged(child, ran), (exit) => {
      child.ran(exit)
      return child.below?.close ?? Effect.void
    })
    return Effect.map(Effect.forkDetach(whole, { startImmediately: true }), (fiber) => {
      child.fiber = fiber
      fiber.addObserver((exit) => {
        this.table.gone(child)
        child.settle(exit)
      })
      return child
    })
  }

  #spec(child: Child, request: SpawnRequest): ChildSpec {
    const policy = this.#policy.below()
    const { depth, handle, path, scope } = child
    return {
      handle,
      path,
      depth,
      scope,
      request,
      ledger: policy.ledger,
      below: (runner) => {
        const supervisor = new SupervisorLive(child, policy, runner)
        if (child.asked) supervisor.drain()
        child.below = supervisor
        return supervisor
      }
    }
  }

  /** Turn after turn, until its end is asked for. */
  #warm(spec: ChildSpec, child: Child): Effect.Effect<ChildOutcome, AgentError> {
    const over: ChildOutcome = { status: "cancelled", partial: true, answer: undefined, text: "" }
    return Effect.scoped(
      Effect.flatMap(this.#runner.open(spec), ({ turn }) => {
        const on: Effect.Effect<ChildOutcome> = Effect.flatMap(child.next, (mail) => {
          if (mail === undefined) return Effect.succeed(over)
          const turned = Effect.onExit(logged(child, turn(mail.text, child.stop)), (exit) =>
            Effect.sync(() => child.turned(mail, exit))
          )
          return Effect.andThen(Effect.exit(turned), on)
        })
        return on
      })
    )
  }
}

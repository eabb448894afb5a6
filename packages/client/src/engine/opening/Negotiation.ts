/**
 * Finding out what a server speaks, and settling on it: natively by `server/discover`, else by a handshake. What
 * was found is remembered per server, so that the next session with a compat one does not ask again.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { eraOf, type ProtocolVersion } from "@treadle/protocol/era"
import { ClientRequest } from "@treadle/protocol/schema"
import { EraMemory } from "../../EraMemory.ts"
import { McpReason, type McpError } from "../../McpError.ts"
import type { Agreed } from "./Agreed.ts"
import type { ClientEngine } from "../ClientEngine.ts"
import type { Sender } from "./Envelope.ts"
import { compatVersions, handshake } from "./Handshake.ts"
import { probe, saysOfEra, type Verdict } from "./Probe.ts"

/** How a link is settled. */
export interface Terms {
  readonly sender: Sender
  /** The only revision to speak; whatever the server speaks where it is absent. */
  readonly revision: ProtocolVersion | undefined
  /** Whether it is known already that the server wants a handshake. */
  readonly greet: boolean
  /** How long a server on a pipe may take to answer the probe, in milliseconds. */
  readonly probeTimeout: number
  /** What the server is remembered by; absent where it cannot be met again. */
  readonly known: string | undefined
}

const discover = ClientRequest.discover()

/** The handshake that the terms allow. */
const greet = (engine: ClientEngine, { revision, sender }: Terms): Effect.Effect<Agreed, McpError> => {
  const accepted = revision === undefined ? compatVersions : [revision]
  const [newest = "2025-11-25"] = accepted
  return handshake(engine, sender, newest, accepted)
}

/** What is kept of a verdict: a native server, or one that is to be greeted. */
type Finding = Agreed | { readonly _tag: "Greet"; readonly late: Effect.Effect<Agreed> }

const nothingLate: Finding = { _tag: "Greet", late: Effect.never }

const found = (verdict: Verdict): Finding => (verdict._tag === "Native" ? verdict.agreed : nothingLate)

/** A probe over HTTP ends by itself; on a pipe silence means an old server, and an answer may still come. */
const find = (engine: ClientEngine, { probeTimeout }: Terms): Effect.Effect<Finding, McpError, Scope.Scope> => {
  const expired = () =>
    engine.error(
      discover,
      new McpReason.TimedOut({ after: probeTimeout, method: discover.method, limit: "probeTimeout" })
    )
  if (engine.transport.kind !== "pipe") {
    const asked = Effect.map(probe(engine), found)
    return Effect.timeoutOrElse(asked, { duration: probeTimeout, orElse: () => Effect.fail(expired()) })
  }
  return Effect.flatMap(Effect.forkScoped(probe(engine), { startImmediately: true }), (asking) => {
    const answered = Effect.map(Fiber.join(asking), found)
    const late = Effect.flatMap(Effect.exit(Fiber.join(asking)), (exit) =>
      exit._tag === "Success" && exit.value._tag === "Native" ? Effect.succeed(exit.value.agreed) : Effect.never
    )
    return Effect.timeoutOrElse(answered, {
      duration: probeTimeout,
      orElse: () => Effect.succeed<Finding>({ _tag: "Greet", late })
    })
  })
}

/** A discovery that comes while `initialize` is unanswered wins: the server is a native one that starts slowly. */
const settle = (engine: ClientEngine, terms: Terms): Effect.Effect<Agreed, McpError, Scope.Scope> =>
  Effect.flatMap(find(engine, terms), (finding) => {
    if (!("_tag" in finding)) return Effect.succeed(finding)
    const late = Effect.tap(finding.late, (agreed) =>
      Effect.sync(() => engine.speak({ era: "native", version: agreed.version }))
    )
    return Effect.raceFirst(greet(engine, terms), late)
  })

/** Whether a server has answered, but not as one does that speaks what is remembered of it. */
const contradicts = (failure: McpError): boolean => saysOfEra(failure) || failure.reason._tag === "Undecodable"

/**
 * Settles what a link speaks.
 *
 * @param engine a link that nothing was sent on yet
 */
export const negotiate = (engine: ClientEngine, terms: Terms): Effect.Effect<Agreed, McpError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { known, revision } = terms
      if (terms.greet || (revision !== undefined && eraOf(revision) === "compat")) return yield* greet(engine, terms)
      if (revision !== undefined) return yield* natively(engine, revision)
      if (known === undefined) return yield* settle(engine, terms)
      const memory = yield* EraMemory
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      if (memory.isCompat(known, now)) {
        const greeted = yield* Effect.result(greet(engine, terms))
        if (Result.isSuccess(greeted)) return greeted.success
        if (!contradicts(greeted.failure)) return yield* greeted.failure
        memory.forget(known)
      }
      const agreed = yield* settle(engine, terms)
      if (agreed.era === "compat") memory.remember(known, now)
      return agreed
    })
  )

/** Speaks one native revision or none. */
const natively = (engine: ClientEngine, revision: ProtocolVersion): Effect.Effect<Agreed, McpError> =>
  Effect.flatMap(probe(engine), (verdict) => {
    if (verdict._tag === "Native" && verdict.agreed.version === revision) return Effect.succeed(verdict.agreed)
    const why = verdict._tag === "Native" ? `it speaks ${verdict.agreed.version}` : verdict.why
    const what = `the server does not speak ${revision}, which the "revision" setting asks for: ${why}`
    return Effect.fail(engine.error(discover, new McpReason.NotOffered({ what })))
  })

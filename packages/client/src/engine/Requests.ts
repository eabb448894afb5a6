/**
 * The requests of a session: refused before the wire where the server does not offer them, sent over the current link,
 * limited in time, and taken through their rounds.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Notification } from "@treadle/protocol/rpc"
import { ServerResult, type ClientRequest, type Meta, type Progress as WireProgress } from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../McpError.ts"
import { notOffered } from "./opening/Agreed.ts"
import type { Arrived } from "./ClientEngine.ts"
import type { Deadline, Deadlines, Patience } from "./Deadline.ts"
import { inRounds, type AskingMethod, type Completed, type RoundTerms } from "./asking/InputRounds.ts"
import type { Link, Links } from "./Links.ts"
import { requestError } from "./RequestError.ts"

/** How one request is made and whom it tells. */
export interface Plan extends Patience {
  readonly onProgress?: ((progress: WireProgress) => void) | undefined
  readonly onNotification?: ((notification: Notification) => void) | undefined
  /** Whether progress extends the time. */
  readonly extend?: boolean
  readonly meta?: Meta | undefined
  /** Whether it may be sent twice without harm. */
  readonly safe: boolean
  /** Headers that repeat arguments. */
  readonly mirrored?: (() => ReadonlyArray<readonly [string, string]>) | undefined
  /** What to do before a failure is final, such as learning what the server missed; then it is sent once more. */
  readonly cure?: ((error: McpError) => Effect.Effect<void> | undefined) | undefined
}

/** Sends the requests of one session. */
export class Requests {
  readonly server: string
  readonly #links: Links
  readonly #deadlines: Deadlines
  readonly #rounds: RoundTerms

  constructor(server: string, links: Links, deadlines: Deadlines, rounds: RoundTerms) {
    this.server = server
    this.#links = links
    this.#deadlines = deadlines
    this.#rounds = rounds
  }

  /** Sends a request and reads its result; a result that asks is no answer here. */
  readonly request = <R extends ClientRequest>(
    request: R,
    plan: Plan
  ): Effect.Effect<ServerResult<R["method"]>, McpError> =>
    Effect.flatMap(this.send(request, plan), ({ result }) => {
      const decoded = ServerResult.decode<R["method"]>(request.method, result)
      if (Result.isSuccess(decoded)) return Effect.succeed(decoded.success)
      const { problems } = decoded.failure
      return Effect.fail(this.error(request, new McpReason.Undecodable({ what: "the result", problems })))
    })

  /** Sends a request and gives its result as it came. */
  readonly send = (request: ClientRequest, plan: Plan): Effect.Effect<Arrived, McpError> =>
    this.#limited(request, plan, (deadline) => this.#sent(request, plan, deadline))

  /** Sends a request that may ask before it goes on, and answers what it asks. */
  readonly ask = <R extends ClientRequest<AskingMethod>>(
    request: R,
    plan: Plan
  ): Effect.Effect<Completed<R["method"]>, McpError> =>
    this.#limited(request, plan, (deadline) =>
      inRounds(this.#rounds, this.server, request, deadline, (round) => this.#sent(round, plan, deadline))
    )

  /** Something else that is waited for on behalf of a request, for as long as that may take. */
  readonly within = <A>(request: ClientRequest, plan: Plan, effect: Effect.Effect<A>): Effect.Effect<A, McpError> =>
    this.#limited(request, plan, (deadline) => deadline.within(effect))

  readonly error = (request: ClientRequest, reason: McpReason, cause?: unknown): McpError =>
    requestError(this.server, request, reason, cause)

  /** A link that could not be opened failed this request, whatever was sent to open it. */
  #about(request: ClientRequest, error: McpError): McpError {
    return error.method === request.method ? error : this.error(request, error.reason, error)
  }

  #limited<A>(
    request: ClientRequest,
    plan: Plan,
    run: (deadline: Deadline) => Effect.Effect<A, McpError>
  ): Effect.Effect<A, McpError> {
    const { maxTotalTimeout, timeout } = plan
    const { method } = request
    const wrong = [timeout, maxTotalTimeout].find((limit) => !(limit > 0))
    if (wrong !== undefined) {
      const problems = [`it must be a number of milliseconds above 0, or Infinity, and is ${String(wrong)}`]
      return Effect.fail(
        this.error(request, new McpReason.Undecodable({ what: "the time limit", problems, notRun: true }))
      )
    }
    const expired = (inAll: boolean) => {
      const limit = inAll && maxTotalTimeout !== timeout ? ({ limit: "maxTotalTimeout" } as const) : {}
      return this.error(request, new McpReason.TimedOut({ after: inAll ? maxTotalTimeout : timeout, method, ...limit }))
    }
    return this.#deadlines.limit(plan, expired, run)
  }

  #sent(request: ClientRequest, plan: Plan, deadline: Deadline): Effect.Effect<Arrived, McpError> {
    const { extend = false, meta, onNotification, onProgress } = plan
    const exchange = ({ agreed, engine }: Link): Effect.Effect<Arrived, McpError> => {
      const what = notOffered(agreed, request.method)
      if (what !== undefined) return Effect.fail(engine.error(request, new McpReason.NotOffered({ what })))
      const mirrored = engine.transport.kind === "http" && agreed.era === "native" ? plan.mirrored?.() : undefined
      return engine.exchange(request, {
        onProgress,
        onNotification,
        extend,
        meta,
        deadline,
        ...(mirrored === undefined ? {} : { mirrored })
      })
    }
    const used = Effect.suspend(() => this.#links.use(exchange, plan.safe, deadline.within))
    const sent = Effect.mapError(used, (error) => this.#about(request, error))
    if (plan.cure === undefined) return sent
    return Effect.catch(sent, (error) => {
      const cured = plan.cure?.(error)
      return cured === undefined ? Effect.fail(error) : Effect.andThen(deadline.within(cured), sent)
    })
  }
}

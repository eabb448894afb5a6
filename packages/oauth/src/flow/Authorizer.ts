/**
 * What authorizes the requests of one session: it shows the token where it belongs and nowhere else, and learns from
 * refusals. Whoever comes while a login is under way waits for that one (B070).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import {
  McpReason,
  type HeaderRecord,
  type TokenRequest,
  type TokenResponse,
  type Tokens,
  type Unauthorized
} from "@treadle/client"
import { AuthError, AuthReason, quoted } from "../AuthError.ts"
import { authorizationOf, isExpiring } from "./Grant.ts"
import { demandIn, type Demand } from "./Challenge.ts"
import type { Login, Logins } from "./Logins.ts"
import { covers } from "./Resource.ts"

type Fork = (login: Effect.Effect<Login, AuthReason>) => Fiber.Fiber<Login, AuthReason>

/** One login at a time, for all who wait for it; it is given up once nobody does. */
class SharedLogin {
  readonly #fork: Fork
  #running: { readonly fiber: Fiber.Fiber<Login, AuthReason>; waiting: number } | undefined

  constructor(fork: Fork) {
    this.#fork = fork
  }

  readonly join = (login: Effect.Effect<Login, AuthReason>): Effect.Effect<Login, AuthReason> =>
    Effect.suspend(() => {
      const running = (this.#running ??= { fiber: this.#fork(login), waiting: 0 })
      running.waiting++
      const leave = Effect.suspend(() => {
        if (--running.waiting > 0) return Effect.void
        if (this.#running === running) this.#running = undefined
        return Fiber.interrupt(running.fiber)
      })
      return Effect.ensuring(Fiber.join(running.fiber), leave)
    })
}

/**
 * Makes what authorizes the requests of a session; a login that is under way ends with the scope.
 *
 * @param server what messages call it
 */
export const makeAuthorizer = (logins: Logins, server: string): Effect.Effect<Tokens, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const running = new Set<Fiber.Fiber<Login, AuthReason>>()
    yield* Effect.addFinalizer(() => Effect.suspend(() => Fiber.interruptAll(running)))
    return new Authorizer(logins, server, (login) => {
      const fiber = run(login)
      running.add(fiber)
      fiber.addObserver(() => running.delete(fiber))
      return fiber
    })
  })

class Authorizer implements Tokens {
  readonly #logins: Logins
  readonly #server: string
  readonly #replacing: SharedLogin
  readonly #renewing: SharedLogin
  /** How often somebody had logged out when the store was last looked at. */
  #looked: number | undefined
  #login: Login | undefined

  constructor(logins: Logins, server: string, fork: Fork) {
    this.#logins = logins
    this.#server = server
    this.#replacing = new SharedLogin(fork)
    this.#renewing = new SharedLogin(fork)
  }

  readonly headers = (request: TokenRequest): Effect.Effect<HeaderRecord, Unauthorized> =>
    this.#told(
      Effect.gen({ self: this }, function* () {
        const login = yield* this.#current
        return login === undefined || !covers(login.grant.resource, request.url) ? {} : yield* shown(login, request)
      })
    )

  readonly heard = ({ url }: TokenRequest, { header, status }: TokenResponse): void => {
    const login = this.#login
    login?.dpop?.heard(url, header("dpop-nonce"))
    if (status !== 401 && login?.untried !== undefined) this.#login = { ...login, untried: undefined }
  }

  readonly refused = (
    request: TokenRequest,
    response: TokenResponse,
    sent: HeaderRecord
  ): Effect.Effect<boolean, Unauthorized> => {
    const refusal = demandIn(response.status, response.header("www-authenticate"))
    return this.#told(
      Effect.suspend(() => {
        const login = this.#login
        // Nothing is shown to an address that the login is not for, and no other login would change that.
        if (login !== undefined && !covers(login.grant.resource, request.url)) return Effect.succeed(false)
        // Somebody else has got a better one by now.
        if (login !== undefined && sent["authorization"] !== authorizationOf(login.grant)) return Effect.succeed(true)
        if (refusal.error === "use_dpop_nonce") return Effect.succeed(response.header("dpop-nonce") !== null)
        if (refusal.more && (login === undefined || refusal.error !== "insufficient_scope"))
          return Effect.succeed(false)
        const hopeless = login === undefined ? undefined : this.#hopeless(login, refusal)
        return hopeless === undefined ? Effect.as(this.#replaced(login, refusal), true) : Effect.fail(hopeless)
      }),
      refusal
    )
  }

  /** Names the login, so that what is kept for one is not shown to another. */
  readonly caller: Effect.Effect<string> = Effect.sync(() => this.#login?.grant.id ?? "")

  /**
   * The login as it is now: looked for once, and again after a logout; renewed in time. One that cannot be renewed is
   * shown once more.
   */
  get #current(): Effect.Effect<Login | undefined, AuthReason> {
    return Effect.gen({ self: this }, function* () {
      const { logouts } = this.#logins
      if (this.#looked !== logouts) this.#login = yield* this.#logins.kept
      this.#looked = logouts
      const login = this.#login
      if (login === undefined || !isExpiring(login.grant, yield* Clock.currentTimeMillis)) return login
      const renewed = Effect.map(this.#logins.fresh(login), (fresh) => fresh ?? login)
      this.#login = yield* this.#renewing.join(renewed)
      return this.#login
    })
  }

  #replaced(login: Login | undefined, demand: Demand): Effect.Effect<void, AuthReason> {
    const { logouts } = this.#logins
    return Effect.map(this.#replacing.join(this.#logins.replace(login, demand)), (replaced) => {
      this.#login = replaced
      this.#looked = logouts
    })
  }

  /** Why another login would not help, so that nobody is asked again and again (B062). */
  #hopeless({ grant, untried }: Login, { description = "", more, scopes }: Demand): AuthReason | undefined {
    if (more) {
      const missing = scopes.filter((scope) => !grant.requested.includes(scope))
      if (missing.length > 0) return undefined
      const named = scopes.length === 0 ? "more rights, and names no scope" : `the scopes ${scopes.join(" ")}`
      const why = `the server demands ${named}; all that it names was asked for, and not granted. Ask whoever runs it for the rights`
      return new AuthReason.LoginNeeded({ why })
    }
    if (untried !== "authorization") return undefined
    const said = description.includes(Redacted.value(grant.token)) ? "" : description
    const because = said === "" ? "; whoever runs it can tell why" : `: ${quoted(said)}. Ask whoever runs it`
    const why = `the server refuses the token that ${grant.issuer} has just issued for it${because}`
    return new AuthReason.LoginNeeded({ why })
  }

  /** What goes wrong, as a client tells it. */
  #told<A>(effect: Effect.Effect<A, AuthReason>, { metadata }: Partial<Demand> = {}): Effect.Effect<A, Unauthorized> {
    const server = this.#server
    return Effect.mapError(effect, (reason) => {
      const cause = new AuthError({ reason, server })
      const where = metadata === undefined ? {} : { metadata }
      return new McpReason.Unauthorized({ server, detail: `it is not authorized: ${reason.message}`, cause, ...where })
    })
  }
}

/** The headers that show a token for one request. */
const shown = ({ dpop, grant }: Login, { body, method, url }: TokenRequest): Effect.Effect<HeaderRecord> => {
  const authorization = authorizationOf(grant)
  if (dpop === undefined) return Effect.succeed({ authorization })
  return Effect.map(dpop.proof({ method, url, token: grant.token, body }), (proof) => ({ authorization, dpop: proof }))
}

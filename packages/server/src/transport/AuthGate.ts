/**
 * Authentication at a door: who sends a request, or how it is refused, before anything of its body is read (AUTH-26).
 * What can be told at once is told at once.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { printChallenge } from "@treadle/protocol/http"
import { isRecord } from "@treadle/protocol/json"
import { RpcError } from "@treadle/protocol/rpc"
import type { Authentication } from "../Authentication.ts"
import { holdsScopes, withImplied } from "../AuthScope.ts"
import type { Refusal } from "../envelope/Refusal.ts"
import type { Principal, TokenPrincipal } from "../Principal.ts"
import type { ProtectedResource, ResourceScopes } from "../ProtectedResource.ts"
import type { StaticBearer } from "../StaticBearer.ts"
import { TokenRefused, VerifierUnavailable, type VerifiedToken, type Verify } from "../TokenVerifier.ts"
import { shownToken, type Credentials } from "./BearerToken.ts"
import { metadataUrl, resourceMetadata, type DocumentReply } from "./ResourceMetadata.ts"
import { staticTokens } from "./StaticTokens.ts"

/** Gets who sends a request, or why it is refused. */
type Take = (passed: Principal | Refusal) => void

export interface AuthGate {
  /** The public document that a request asks for, where it asks for one. */
  readonly document: (verb: string | undefined, path: string) => DocumentReply | undefined
  /** Says that scopes are missing. @param scopes all that the operation needs beside those of every request */
  readonly insufficient: (scopes: ReadonlyArray<string>) => string
  /**
   * Finds out who sends a request.
   *
   * @param take is called once, in this call or in a later one; never after what is returned was called
   * @returns what to call when nobody waits for it any more; nothing where it is found out already
   */
  readonly admit: (credentials: Credentials, take: Take) => (() => void) | undefined
}

/** What a gate is opened with. */
export interface GateParts {
  /** Whose loggers and clock are used. */
  readonly services: Context.Context<never>
  /** Reports what a verifier died of. @returns what its caller is told */
  readonly broken: (cause: Cause.Cause<unknown>) => RpcError
  /** The address of the door itself, where it is known and no other is given. */
  readonly ownUrl: (() => string) | undefined
}

/** How long a verifier may take, in milliseconds. */
const patience = 30_000

/** How long is waited before it is told again that tokens cannot be verified, in milliseconds. */
const silence = 60_000

/** Words that a challenge may hold, few enough for a header. */
const described = (why: string): string =>
  why
    .replaceAll(/["\\]/g, "'")
    .replaceAll(/[^\x20-\x7e]/g, "?")
    .slice(0, 300)

/** The refusals of one gate. */
const refusals = (metadata: string | undefined, required: ReadonlyArray<string>) => {
  const challenge = (error?: string, why?: string, scopes: ReadonlyArray<string> = required) =>
    printChallenge("Bearer", {
      error,
      error_description: why,
      scope: scopes.length === 0 ? undefined : scopes.join(" "),
      resource_metadata: metadata
    })
  const insufficient = (scopes: ReadonlyArray<string>) =>
    challenge("insufficient_scope", undefined, [...new Set([...required, ...scopes])])
  return {
    insufficient,
    /** Nothing is shown that could be judged (AUTH-02, AUTH-21). */
    unauthorized: (): Refusal => ({
      rung: "token",
      error: RpcError.invalidRequest("A token is needed"),
      challenge: challenge(),
      bare: true
    }),
    invalid: (why: string): Refusal => ({
      rung: "token",
      error: RpcError.invalidRequest(why),
      challenge: challenge("invalid_token", described(why)),
      bare: true
    }),
    malformed: (why: string): Refusal => ({
      rung: "authorization",
      error: RpcError.invalidRequest(why),
      challenge: challenge("invalid_request", described(why))
    }),
    tooLittle: (): Refusal => ({
      rung: "scopes",
      error: RpcError.invalidRequest(
        `Every request here needs the scopes ${required.join(" ")}; get a token that has them all`
      ),
      challenge: insufficient([])
    })
  }
}

const staticGate = (auth: StaticBearer): AuthGate => {
  const find = staticTokens(auth)
  const refuse = refusals(undefined, [])
  const judged = (credentials: Credentials): Principal | Refusal => {
    const shown = shownToken(credentials)
    if ("why" in shown) return refuse.malformed(shown.why)
    if (shown.token === undefined) return refuse.unauthorized()
    return find(shown.token) ?? refuse.invalid("The token is not known here")
  }
  return {
    document: () => undefined,
    insufficient: refuse.insufficient,
    admit: (credentials, take) => void take(judged(credentials))
  }
}

/** The caller of a token; nothing where two callers could not be told apart by it. */
const principalOf = (token: VerifiedToken, scopes: ResourceScopes | undefined): TokenPrincipal | undefined => {
  const { issuer, subject } = token
  if (issuer === "" || subject === "" || issuer.includes("#")) return undefined
  return { ...token, via: "token", id: `${issuer}#${subject}`, scopes: withImplied([...token.scopes], scopes?.implies) }
}

type Judged = Exit.Exit<Principal | Refusal, TokenRefused | VerifierUnavailable>

/** What a verifier failed with, where that is of the contract: one of plain JavaScript may fail with anything. */
const failureIn = (
  cause: Cause.Cause<TokenRefused | VerifierUnavailable>
): TokenRefused | VerifierUnavailable | undefined => {
  const found = Cause.findErrorOption(cause)
  if (Option.isNone(found) || !isRecord(found.value) || typeof found.value.why !== "string") return undefined
  const { _tag } = found.value
  return _tag === "TokenRefused" || _tag === "VerifierUnavailable" ? found.value : undefined
}

const unavailable: Refusal = {
  rung: "verifier",
  error: RpcError.internal("Tokens cannot be verified now; try again later")
}

const resourceGate = (
  { settings }: ProtectedResource,
  verify: Verify,
  resource: string,
  parts: GateParts
): AuthGate => {
  const { scopes } = settings
  const { required = [] } = scopes ?? {}
  const { broken, services } = parts
  const refuse = refusals(metadataUrl(resource), required)
  const run = Effect.runForkWith(services)
  const clock = Context.get(services, Clock.Clock)
  let untold = 0
  let silentUntil = Number.NEGATIVE_INFINITY
  /** Told once in a while, because whoever sends requests would fill the log otherwise. */
  const logged = (why: string, cause?: unknown): Refusal => {
    const now = clock.currentTimeMillisUnsafe()
    if (now < silentUntil) untold++
    else {
      const others = untold === 0 ? "" : `, as ${untold} others were since the last time that this was told`
      silentUntil = now + silence
      untold = 0
      run(
        Effect.logError(
          `A token cannot be verified, and its request is answered 503${others}: ${why}`,
          ...(cause === undefined ? [] : [cause])
        )
      )
    }
    return unavailable
  }
  const refused = (why: string): Refusal => {
    run(Effect.logDebug(`A token is refused, and its request is answered 401: ${why}`))
    return refuse.invalid(why)
  }
  /** What a verifier says, as the caller; in its fiber, because a verifier of plain JavaScript may say anything. */
  const judge = (token: VerifiedToken): Principal | Refusal => {
    const principal = principalOf(token, scopes)
    if (principal === undefined) {
      return refused("The token names no issuer and subject by which callers are told apart")
    }
    return holdsScopes(principal.scopes, required) ? principal : refuse.tooLittle()
  }
  const judged = (exit: Judged): Principal | Refusal => {
    if (Exit.isSuccess(exit)) return exit.value
    const said = failureIn(exit.cause)
    if (said === undefined) return { rung: "principal", error: broken(exit.cause) }
    return said._tag === "TokenRefused" ? refused(said.why) : logged(said.why, said.cause)
  }
  /** Waits for a verifier, for as long as its patience lasts. */
  const later = (verifying: Fiber.Fiber<Principal | Refusal, TokenRefused | VerifierUnavailable>, take: Take) => {
    const waiting = run(Effect.timeoutOption(Fiber.await(verifying), patience))
    waiting.addObserver((waited) => {
      if (Exit.isFailure(waited)) return
      if (waited.value._tag === "Some") return take(judged(waited.value.value))
      verifying.interruptUnsafe()
      take(logged(`the verifier took more than ${patience} ms`))
    })
    return () => {
      waiting.interruptUnsafe()
      verifying.interruptUnsafe()
    }
  }
  return {
    document: resourceMetadata(resource, settings),
    insufficient: refuse.insufficient,
    admit: (credentials, take) => {
      const shown = shownToken(credentials)
      if ("why" in shown) return void take(refuse.malformed(shown.why))
      const { token } = shown
      if (token === undefined) return void take(refuse.unauthorized())
      const verifying = run(Effect.suspend(() => Effect.map(verify({ token: Redacted.make(token), resource }), judge)))
      const exit = verifying.pollUnsafe()
      return exit === undefined ? later(verifying, take) : void take(judged(exit))
    }
  }
}

/** Opens the gate of a door. The settings have been checked. */
export const openGate = (auth: Authentication, parts: GateParts): Effect.Effect<AuthGate, never, Scope.Scope> => {
  if (auth._tag === "StaticBearer") return Effect.sync(() => staticGate(auth))
  return Effect.map(auth.settings.verifier.open, (verify) =>
    resourceGate(auth, verify, auth.settings.resource ?? parts.ownUrl?.() ?? "", parts)
  )
}

/** Why scopes are missing where no door of its own authenticates. */
export const openDoor = refusals(undefined, [])

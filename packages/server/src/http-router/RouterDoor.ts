/**
 * What the doors of an Effect HTTP application have alike: who sends a request, and the services that belong to it.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpSettings } from "../McpHttp.ts"
import { contextPrincipal, type Principal, type Vouched } from "../Principal.ts"

/** Answers a request before its body is read. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly status: 401 | 403
  /** The `WWW-Authenticate` header. */
  readonly challenge?: string
}> {
  override get message(): string {
    return `The request was refused with ${this.status}`
  }
}

/** What such a door is told beside the settings of every HTTP door. */
export interface RequestOptions<P, RP> extends HttpSettings {
  /**
   * Names the caller of a request, with what it may do where that matters: running calls are counted for it, and handlers
   * read it from `CurrentCall`. It is not asked where there is `auth`.
   */
  readonly principal?: (request: HttpServerRequest.HttpServerRequest) => Vouched | undefined
  /** Services of one request; a `Refusal` answers it instead. They are made before `auth` is looked at. */
  readonly request?: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Context.Context<P>, Refusal, RP>
}

/** A server whose handlers need no context of the request; any other does not compile, and the error says so. */
export type ContextFree<Ctx> = {} extends Ctx
  ? unknown
  : "this server needs a context for each request: make it a service, which the option request provides, or use a plain door"

/** What a plain door was given beside a request; an Effect application has services in its place. */
export const GivenContext = Context.Reference<unknown>("@treadle/server/GivenContext", { defaultValue: () => ({}) })

/** The context of the request that is being handled. */
export const givenContext: Effect.Effect<unknown> = Effect.map(Effect.context<never>(), (handling) =>
  Context.get(handling, GivenContext)
)

/** Who sends a request, as far as the application says. */
export interface RouterCaller {
  readonly principal: Principal | undefined
  /** Whose running calls are counted together, where there is no principal. */
  readonly owner: string | undefined
}

export interface RouterDoor {
  readonly callerOf: (request: HttpServerRequest.HttpServerRequest) => RouterCaller
  /** The services of a request, and the span that it is in; none where there are none. */
  readonly servicesOf: (
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<Context.Context<never> | undefined, Refusal>
}

/** The services of a request, with the span of the application that it came in, where a tracer hears of spans. */
const inSpan = (
  services: Context.Context<never> | undefined,
  handling: Context.Context<never>
): Context.Context<never> | undefined => {
  if (Context.get(handling, Tracer.Tracer) === Tracer.nativeTracer) return services
  const span = Context.getOrUndefined(handling, Tracer.ParentSpan)
  return span === undefined ? services : Context.add(services ?? Context.empty(), Tracer.ParentSpan, span)
}

/** The services of a request that has none of its own. */
const spanOnly = Effect.map(Effect.context<never>(), (handling) => inSpan(undefined, handling))

/** @returns a door for requests, with the services that `request` itself needs */
export const routerDoor = <P, RP>(options: RequestOptions<P, RP>): Effect.Effect<RouterDoor, never, RP> =>
  Effect.map(Effect.context<RP>(), (outer) => ({
    callerOf: (request) => ({
      principal: contextPrincipal(options.principal?.(request)),
      owner: request.remoteAddress._tag === "Some" ? `address:${request.remoteAddress.value}` : undefined
    }),
    servicesOf: (request) =>
      options.request === undefined
        ? spanOnly
        : Effect.flatMap(
            Effect.provideContext(options.request(request), outer) as Effect.Effect<Context.Context<never>, Refusal>,
            (services) => Effect.map(Effect.context<never>(), (handling) => inSpan(services, handling))
          )
  }))

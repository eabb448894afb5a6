/**
 * The authorization code flow with PKCE: the page a person is shown, what must hold of the way back, and the exchange of
 * the code. Verifier, state and the expected issuer belong to one attempt and are kept nowhere (AUTH-12 to AUTH-18).
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
import * as OAuth from "oauth4webapi"
import * as Effect from "effect/Effect"
import { own } from "@treadle/protocol/json"
import { AuthReason, maxWords } from "../AuthError.ts"
import type { BrowserVisit } from "../Browser.ts"
import type { OAuthClient } from "./Client.ts"
import type { Discovered, ServerFacts } from "./Discovery.ts"
import type { Dpop } from "./Dpop.ts"
import { endpointIn, type OAuthPeer } from "./OAuthPeer.ts"
import { requestToken, type Issued } from "./TokenRequest.ts"

/** What a code is asked for with. */
export interface CodeRequest {
  readonly found: Discovered
  /** Where the person authorizes. */
  readonly page: URL
  readonly client: OAuthClient
  readonly scopes: ReadonlyArray<string>
  readonly visit: BrowserVisit
  readonly dpop: Dpop | undefined
}

/** One attempt, and what its way back must carry. */
interface Attempt {
  readonly verifier: string
  readonly state: string
}

/** A server that does not say that it takes S256 may take anything (AUTH-12). */
export const demandPkce = ({ issuer, metadata }: ServerFacts): Effect.Effect<void, AuthReason> => {
  const methods = own(metadata, "code_challenge_methods_supported")
  if (Array.isArray(methods) && methods.includes("S256")) return Effect.void
  const why = `${issuer} does not say in its metadata that it supports PKCE with S256, so no code is asked of it`
  return Effect.fail(new AuthReason.Unsupported({ why, rule: "MCP authorization, authorization code protection" }))
}

/**
 * Where a person authorizes, if all of the flow can be gone through: asked before a client is registered or anybody logs
 * in.
 */
export const pageOf = (peer: OAuthPeer, server: ServerFacts): Effect.Effect<URL, AuthReason> =>
  Effect.gen(function* () {
    yield* demandPkce(server)
    yield* endpointIn(peer, server.metadata, "token_endpoint")
    return yield* endpointIn(peer, server.metadata, "authorization_endpoint")
  })

const authorizeUrl = ({ client, found, page, scopes, visit }: CodeRequest, { state, verifier }: Attempt) =>
  Effect.promise(async () => {
    const url = new URL(page)
    const parameters = {
      response_type: "code",
      client_id: client.id,
      redirect_uri: visit.redirectUri,
      code_challenge: await OAuth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      resource: found.resource.resource,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
      // Without it this scope is ignored (OpenID Connect Core section 11).
      ...(scopes.includes("offline_access") ? { prompt: "consent" } : {})
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url
  })

const mismatch = (what: string, expected: string, received: string | undefined, rule: string): AuthReason =>
  new AuthReason.Mismatch({ what, expected, received, rule })

/** The only value of a parameter; none where it came twice. */
const only = (parameters: URLSearchParams, name: string): string | undefined => {
  const [value, second] = parameters.getAll(name)
  return second === undefined ? value : undefined
}

/**
 * The code in what came back, once it is certain whose answer that is (AUTH-16, AUTH-17). Until then neither the code nor
 * an error in it is believed.
 */
export const codeIn = (
  parameters: URLSearchParams,
  state: string,
  { issuer, metadata }: ServerFacts
): Effect.Effect<string, AuthReason> => {
  const sent = only(parameters, "state")
  if (sent !== state) {
    // The right value is a secret of this attempt.
    const what = "the state of the authorization response"
    return Effect.fail(
      mismatch(what, "that of this login", sent === undefined ? undefined : "another", "RFC 6749 section 10.12")
    )
  }
  const iss = only(parameters, "iss")
  const demanded = own(metadata, "authorization_response_iss_parameter_supported") === true || parameters.has("iss")
  if (demanded && iss !== issuer) {
    return Effect.fail(mismatch("the issuer of the authorization response", issuer, iss, "RFC 9207 section 2.4"))
  }
  const error = only(parameters, "error")
  if (error !== undefined || parameters.has("error")) {
    const description = only(parameters, "error_description")
    const what = "the authorization"
    return Effect.fail(
      new AuthReason.Refused({
        what,
        error: (error ?? "error").slice(0, 100),
        ...(description === undefined ? {} : { description: description.slice(0, maxWords) })
      })
    )
  }
  const code = only(parameters, "code")
  return code === undefined || code === ""
    ? Effect.fail(mismatch("the code of the authorization response", "one code", undefined, "RFC 6749 section 4.1.2"))
    : Effect.succeed(code)
}

/** Lets a person log in, and gives the token. */
export const logIn = (peer: OAuthPeer, login: CodeRequest): Effect.Effect<Issued, AuthReason> =>
  Effect.gen(function* () {
    const { client, dpop, found, visit } = login
    const { resource, server } = found
    const attempt: Attempt = { verifier: OAuth.generateRandomCodeVerifier(), state: OAuth.generateRandomState() }
    const url = yield* authorizeUrl(login, attempt)
    const parameters = yield* visit.open(url, attempt.state)
    const code = yield* codeIn(parameters, attempt.state, server)
    return yield* requestToken(peer, server, {
      grant: "authorization_code",
      parameters: {
        code,
        redirect_uri: visit.redirectUri,
        code_verifier: attempt.verifier,
        resource: resource.resource
      },
      client,
      dpop
    })
  })

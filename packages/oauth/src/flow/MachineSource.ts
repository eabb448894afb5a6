/**
 * Tokens without a person at a browser: the client's own credentials, an employer's identity provider, a platform's token.
 *
 * @see https://github.com/modelcontextprotocol/ext-auth
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { own } from "@treadle/protocol/json"
import { AuthReason } from "../AuthError.ts"
import { proofFor, type OAuthClient } from "./Client.ts"
import type { ServerFacts } from "./Discovery.ts"
import type { OAuthPeer } from "./OAuthPeer.ts"
import type { PrivateKeyText } from "./SigningKey.ts"
import type { Asking, Obtained, Source } from "./Source.ts"
import { requestToken, type Issued } from "./TokenRequest.ts"

/** Gives a secret that is short-lived, such as an ID token or the token of a platform. */
export type SecretSource = Effect.Effect<Redacted.Redacted, AuthReason>

/** A client that was registered before. */
export interface MachineClient {
  readonly id: string
  readonly secret?: Redacted.Redacted | undefined
  readonly key?: PrivateKeyText | undefined
}

const clientAt = ({ id, key, secret }: MachineClient, server: ServerFacts): OAuthClient => ({
  id,
  key,
  secret,
  proof: proofFor({ key, secret }, server)
})

const scopeOf = ({ scopes }: Asking): string | undefined => (scopes.length === 0 ? undefined : scopes.join(" "))

/** @param grant asks for a token as a client */
const machineSource = (
  machine: MachineClient,
  grant: (asking: Asking, client: OAuthClient) => Effect.Effect<Issued, AuthReason>
): Source => ({
  clientId: machine.id,
  renews: false,
  obtain: (asking): Effect.Effect<Obtained, AuthReason> =>
    Effect.map(grant(asking, clientAt(machine, asking.found.server)), (issued) => ({ issued, clientId: machine.id })),
  client: (_, server) => Effect.succeed(clientAt(machine, server)),
  forget: () => Effect.succeed(false)
})

/** The client on its own behalf (AEXT-01). */
export const credentialsSource = (machine: MachineClient): Source =>
  machineSource(machine, (asking, client) =>
    requestToken(asking.peer, asking.found.server, {
      grant: "client_credentials",
      parameters: { resource: asking.found.resource.resource, scope: scopeOf(asking) },
      client,
      dpop: asking.dpop
    })
  )

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

const bearerOf = (
  asking: Asking,
  client: OAuthClient,
  assertion: Redacted.Redacted
): Effect.Effect<Issued, AuthReason> =>
  requestToken(asking.peer, asking.found.server, {
    grant: jwtBearer,
    parameters: {
      assertion: Redacted.value(assertion),
      resource: asking.found.resource.resource,
      scope: scopeOf(asking)
    },
    client,
    dpop: asking.dpop
  })

/** A workload shows the token of the platform that it runs on (AEXT-08). */
export const workloadSource = (machine: MachineClient, assertion: SecretSource): Source =>
  machineSource(machine, (asking, client) => Effect.flatMap(assertion, (token) => bearerOf(asking, client, token)))

/** The identity provider of an employer. */
export interface IdentityProvider {
  readonly issuer: string
  readonly tokenEndpoint: string | URL
  readonly client: MachineClient
  /** What the person's single sign-on gave. */
  readonly idToken: SecretSource
}

const idJag = "urn:ietf:params:oauth:token-type:id-jag"

/** The developer named the endpoint of the identity provider, so it is called wherever it is. */
const at = (peer: OAuthPeer, { tokenEndpoint }: IdentityProvider): OAuthPeer =>
  URL.canParse(tokenEndpoint) ? { ...peer, server: new URL(tokenEndpoint) } : peer

/** Exchanges the ID token for an assertion that is meant for one authorization server (AEXT-03, AEXT-04). */
const exchanged = (asking: Asking, provider: IdentityProvider): Effect.Effect<Redacted.Redacted, AuthReason> =>
  Effect.gen(function* () {
    const { found, peer } = asking
    const { issuer } = provider
    const server: ServerFacts = { issuer, metadata: { token_endpoint: String(provider.tokenEndpoint) } }
    const idToken = yield* provider.idToken
    const issued = yield* requestToken(at(peer, provider), server, {
      grant: "urn:ietf:params:oauth:grant-type:token-exchange",
      parameters: {
        requested_token_type: idJag,
        audience: found.server.issuer,
        resource: found.resource.resource,
        scope: scopeOf(asking),
        subject_token: Redacted.value(idToken),
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token"
      },
      client: clientAt(provider.client, server)
    })
    return issued.token
  })

const idJagProfile = "urn:ietf:params:oauth:grant-profile:id-jag"

/** A server that lists its profiles of grants takes no other (AEXT-05); then no ID token is shown to anybody. */
const demandProfile = ({ issuer, metadata }: ServerFacts): Effect.Effect<void, AuthReason> => {
  const profiles = own(metadata, "authorization_grant_profiles_supported")
  if (!Array.isArray(profiles) || profiles.includes(idJagProfile)) return Effect.void
  const why = `${issuer} does not list ${idJagProfile} among its grants, so it takes no word of an identity provider`
  return Effect.fail(new AuthReason.Unsupported({ why, rule: "MCP enterprise-managed authorization" }))
}

/** A person is vouched for by the identity provider of an employer (AEXT-03). */
export const enterpriseSource = (machine: MachineClient, provider: IdentityProvider): Source =>
  machineSource(machine, (asking, client) =>
    demandProfile(asking.found.server).pipe(
      Effect.andThen(exchanged(asking, provider)),
      Effect.flatMap((assertion) => bearerOf(asking, client, assertion))
    )
  )

/**
 * What authorizes the everything-client in the scenarios of the suite that are about authorization: the provider of
 * tokens that each needs, and a browser whose person agrees to everything at once.
 */
import { AuthReason, OAuth, type Browser, type OAuthProvider } from "@treadle/oauth"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The suite's authorization server sends back by a redirect, and nobody listens where it leads. */
const redirectUri = "http://localhost:3000/callback"

const comeBack = (url: URL): Effect.Effect<URLSearchParams, InstanceType<typeof AuthReason.LoginNeeded>> =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(url, { redirect: "manual" })
      return new URL(response.headers.get("location") ?? "", url).searchParams
    },
    catch: () => new AuthReason.LoginNeeded({ why: "the authorization endpoint did not send back" })
  })

const browser: Browser = { visit: () => Effect.succeed({ redirectUri, open: comeBack }) }

const clientName = "treadle-everything-client"
const clientMetadataUrl = "https://conformance-test.local/client-metadata.json"

const optional = Schema.optionalKey(Schema.String)

/** The data that the suite gives to some scenarios. */
const Given = Schema.Struct({
  client_id: optional,
  client_secret: optional,
  private_key_pem: optional,
  signing_algorithm: optional,
  idp_client_id: optional,
  idp_id_token: optional,
  idp_issuer: optional,
  idp_token_endpoint: optional,
  valid_jwt: optional
})

const decodeGiven = Schema.decodeUnknownSync(Schema.fromJsonString(Given))

const Resource = Schema.Struct({ authorization_servers: Schema.Array(Schema.String) })

/** The authorization server of a scenario: the suite gives a secret without saying whose it is, which a developer knows. */
const issuerAt = async (server: string): Promise<string> => {
  const { origin, pathname } = new URL(server)
  for (const path of [pathname, ""]) {
    const response = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`)
    if (!response.ok) continue
    const [issuer] = Schema.decodeUnknownSync(Resource)(await response.json()).authorization_servers
    if (issuer !== undefined) return issuer
  }
  throw new Error(`${server} names no authorization server`)
}

/** The provider of a scenario. @param context what the suite gives to it, as JSON @param server its address */
export const providerOf = async (scenario: string, context: string, server: string): Promise<OAuthProvider> => {
  const given = decodeGiven(context)
  const client = {
    clientId: given.client_id ?? "",
    ...(given.client_secret === undefined ? {} : { clientSecret: given.client_secret, issuer: await issuerAt(server) })
  }
  switch (scenario) {
    case "auth/client-credentials-basic":
      return OAuth.clientCredentials(client)
    case "auth/client-credentials-jwt":
      return OAuth.clientCredentials({
        clientId: client.clientId,
        privateKey: given.private_key_pem ?? "",
        algorithm: given.signing_algorithm ?? "ES256"
      })
    case "auth/enterprise-managed-authorization":
      return OAuth.enterprise({
        ...client,
        identityProvider: {
          clientId: given.idp_client_id ?? "",
          issuer: given.idp_issuer ?? "",
          tokenEndpoint: given.idp_token_endpoint ?? ""
        },
        idToken: () => given.idp_id_token ?? ""
      })
    case "auth/wif-jwt-bearer":
      return OAuth.workload({ ...client, assertion: () => given.valid_jwt ?? "" })
    case "auth/pre-registration":
      return OAuth.browser({ clientName, browser, ...client })
    case "auth/dpop":
    case "auth/dpop-nonce":
      return OAuth.browser({ clientName, browser, dpop: true })
    default:
      return OAuth.browser({ clientName, browser, clientMetadataUrl })
  }
}

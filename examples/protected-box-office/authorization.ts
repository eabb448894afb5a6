/**
 * An authorization server for development: `oidc-provider`, with all it knows in memory, and people who are believed their
 * name. It registers any client, demands PKCE, and issues JWTs and refresh tokens for the resources that it is told of.
 *
 * A real one is reached over https only, checks who logs in, keeps clients, grants and signing keys in a database and
 * replaces the keys in time, limits how often anybody tries, and lets people see and take back what they agreed to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { exportJWK, generateKeyPair } from "jose"
import Provider, { errors, type Interaction } from "oidc-provider"
import { createMemoryAdapter } from "oidc-provider/lib/adapters/memory_adapter.js"
import { consentPage, loginPage, problemPage } from "./pages.ts"

/** An authorization server that runs. */
export interface AuthorizationServer {
  readonly issuer: string
  /** The requests that came, such as `POST /token`. */
  readonly requests: ReadonlyArray<string>
  /** Issues tokens for a resource, with these scopes. */
  readonly serve: (resource: string, scopes: ReadonlyArray<string>) => void
  readonly close: () => Promise<void>
}

export interface AuthorizationSettings {
  /** How long an access token lasts, in seconds: 10 minutes by default. */
  readonly tokenTime?: number
}

const hour = 3600
const kept = ["Grant", "IdToken", "Interaction", "RefreshToken", "Session"]

const configuration = async (resources: ReadonlyMap<string, ReadonlyArray<string>>, tokenTime: number) => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true })
  return {
    adapter: createMemoryAdapter(),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: "development", alg: "ES256", use: "sig" }] },
    cookies: { keys: [crypto.randomUUID()] },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    pkce: { required: () => true },
    findAccount: (_: unknown, name: string) => ({ accountId: name, claims: () => ({ sub: name }) }),
    interactions: { url: (_: unknown, { uid }: Interaction) => `/interaction/${uid}` },
    ttl: { ...Object.fromEntries(kept.map((name) => [name, hour])), AccessToken: tokenTime },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => {
          const scopes = resources.get(resource)
          if (scopes === undefined) throw new errors.InvalidTarget()
          return {
            audience: resource,
            scope: scopes.join(" "),
            accessTokenTTL: tokenTime,
            accessTokenFormat: "jwt",
            jwt: { sign: { alg: "ES256" } }
          }
        }
      }
    }
  }
}

const formOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let form = ""
  for await (const chunk of request.setEncoding("utf8")) {
    form += String(chunk)
    if (form.length > 1000) throw new RangeError("the form is too long")
  }
  return new URLSearchParams(form)
}

const show = (response: ServerResponse, status: number, page: string): void => {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'"
  })
  response.end(page)
}

/** What a person agrees to is added to what they agreed to before. */
const granted = async (provider: Provider, { grantId, params, prompt, session }: Interaction): Promise<string> => {
  const earlier = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = earlier ?? new provider.Grant({ accountId: session?.accountId ?? "", clientId: params.client_id })
  grant.addOIDCScope((prompt.details.missingOIDCScope ?? []).join(" "))
  for (const [resource, scopes] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, scopes.join(" "))
  }
  return grant.save()
}

/** Asks a person for their name, or whether they agree, and hears what they say. */
const interact = async (provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const interaction = await provider.interactionDetails(request, response)
  const { params, prompt, session } = interaction
  const form = request.method === "POST" ? await formOf(request) : undefined
  if (form?.get("answer") === "no") {
    const refusal = { error: "access_denied", error_description: "The person did not agree" }
    return provider.interactionFinished(request, response, refusal)
  }
  const client = (await provider.Client.find(params.client_id))?.clientName ?? params.client_id
  if (prompt.name === "login") {
    const name = form?.get("name")?.trim() ?? ""
    if (name === "" || name.length > 40) return show(response, 200, loginPage(client))
    return provider.interactionFinished(request, response, { login: { accountId: name } })
  }
  if (form !== undefined) {
    const consent = { grantId: await granted(provider, interaction) }
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
  }
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details
  const scopes = [...Object.values(missingResourceScopes).flat(), ...missingOIDCScope]
  const { host } = new URL(params.redirect_uri)
  show(response, 200, consentPage({ person: session?.accountId ?? "", client, host, scopes }))
}

/** Runs an authorization server on a free port of this machine. */
export const runAuthorization = async ({
  tokenTime = 600
}: AuthorizationSettings = {}): Promise<AuthorizationServer> => {
  const resources = new Map<string, ReadonlyArray<string>>()
  const requests: Array<string> = []
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, await configuration(resources, tokenTime))
  const callback = provider.callback()
  server.on("request", (request, response) => {
    const [path = ""] = (request.url ?? "").split("?", 1)
    requests.push(`${request.method} ${path}`)
    if (!path.startsWith("/interaction/")) return void callback(request, response)
    interact(provider, request, response).catch(() =>
      show(response, 400, problemPage("This login is over. Begin again where you came from."))
    )
  })
  return {
    issuer,
    requests,
    serve: (resource, scopes) => void resources.set(resource, scopes),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

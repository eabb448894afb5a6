/**
 * A scripted authorization server: metadata, registration, and the page on which a person agrees at once. Tokens are in
 * `AuthTokens`.
 */
import type { AuthSeen, Canned, ServerMetadataForm } from "./AuthScript.ts"
import { answerToken } from "./AuthTokens.ts"
import { clientOf, type AuthServer, type AuthWorld } from "./AuthWorld.ts"

/** The metadata of a server that can do what clients of MCP need. */
const documentOf = ({ issuer, origin }: AuthServer): Record<string, unknown> => ({
  issuer,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  response_types_supported: ["code"],
  grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
  token_endpoint_auth_methods_supported: ["none", "client_secret_post", "client_secret_basic"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true
})

const onlyFirst = (form: ServerMetadataForm, document: object): Canned | undefined =>
  form === "oauth" ? { json: document } : undefined

/** Which metadata address this is; a server without a path has two of them. */
const formOf = (pathname: string, issuer: string): ServerMetadataForm | undefined => {
  const own = new URL(issuer).pathname.replace(/\/$/, "")
  if (pathname === `/.well-known/oauth-authorization-server${own}`) return "oauth"
  if (pathname === `/.well-known/openid-configuration${own}`) return "openid"
  return pathname === `${own}/.well-known/openid-configuration` ? "openid-appended" : undefined
}

/** Answers one request. */
export const answerAuth = (server: AuthServer, world: AuthWorld, seen: AuthSeen): Canned => {
  const form = formOf(seen.pathname, server.issuer)
  const { metadata = onlyFirst } = server.script
  if (form !== undefined && seen.verb === "GET") return metadata(form, documentOf(server)) ?? { status: 404 }
  switch (`${seen.verb} ${seen.pathname}`) {
    case "POST /register":
      return register(server, world, seen)
    case "GET /authorize":
      return authorize(server, world, seen)
    case "POST /token":
      return answerToken(server, world, seen)
    default:
      return { status: 404 }
  }
}

const register = (server: AuthServer, { fresh }: AuthWorld, seen: AuthSeen): Canned => {
  const method = seen.json?.token_endpoint_auth_method ?? "client_secret_basic"
  const secret = method === "none" ? {} : { client_secret: fresh("secret"), client_secret_expires_at: 0 }
  const right = {
    status: 201,
    json: { ...seen.json, client_id: fresh("client"), token_endpoint_auth_method: method, ...secret }
  }
  const answer = server.script.register?.(seen.json, right) ?? right
  const registered: any = answer.json
  if ((answer.status ?? 200) < 300 && typeof registered?.client_id === "string") {
    server.clients.set(registered.client_id, {
      clientId: registered.client_id,
      ...(registered.client_secret === undefined ? {} : { secret: registered.client_secret }),
      // RFC 7591 section 2: the method of a client that has a secret and no word about it.
      method: registered.token_endpoint_auth_method ?? "client_secret_basic",
      redirectUris: registered.redirect_uris ?? seen.json?.redirect_uris ?? []
    })
  }
  return answer
}

const isLoopback = (url: URL): boolean => ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname)

/** Whether a redirect address is registered; on a loopback address any port will do (RFC 8252 7.3). */
const isRegistered = (asked: string, registered: ReadonlyArray<string>): boolean =>
  registered.some((known) => {
    if (known === asked) return true
    if (!URL.canParse(asked) || !URL.canParse(known)) return false
    const [one, other] = [new URL(asked), new URL(known)]
    if (!isLoopback(one) || one.hostname !== other.hostname) return false
    return one.protocol === other.protocol && one.pathname === other.pathname && one.search === other.search
  })

const authorize = (server: AuthServer, world: AuthWorld, { query }: AuthSeen): Canned => {
  const of = (name: string): string => query.get(name) ?? ""
  const redirectUri = of("redirect_uri")
  const resource = query.get("resource")
  const client = clientOf(server, of("client_id"), redirectUri)
  const { accepts = (asked) => asked === world.resource() } = server.script
  const faults = [
    of("response_type") === "code" ? "" : "response_type is not code",
    client === undefined ? "client_id is not known here" : "",
    client === undefined || isRegistered(redirectUri, client.redirectUris) ? "" : "redirect_uri is not registered",
    of("code_challenge_method") === "S256" ? "" : "code_challenge_method is not S256",
    /^[\w-]{43}$/.test(of("code_challenge")) ? "" : "code_challenge is no hash",
    of("state") === "" ? "there is no state" : "",
    accepts(resource) ? "" : `resource is ${JSON.stringify(resource)}`,
    [...query.keys()].length === new Set(query.keys()).size ? "" : "a parameter is there twice"
  ].filter((fault) => fault !== "")
  if (client === undefined || faults.length > 0) {
    world.faults.push(...faults.map((fault) => `${server.name} /authorize: ${fault}`))
    return { status: 400, text: faults.join("; ") }
  }
  const code = world.fresh("code")
  server.codes.set(code, {
    clientId: client.clientId,
    redirectUri,
    challenge: of("code_challenge"),
    resource: resource ?? "",
    scopes: (server.script.grants?.(of("scope")) ?? of("scope")).split(" ").filter((scope) => scope !== "")
  })
  const right = { code, state: of("state"), iss: server.issuer }
  const answer = server.script.authorize?.(query, right) ?? new URLSearchParams(right)
  if (!(answer instanceof URLSearchParams)) return answer
  const location = `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${answer}`
  return { status: 302, text: "", headers: { location } }
}

/**
 * The token endpoint of a scripted authorization server. It looks closely at all that it is shown, and writes down what
 * is wrong.
 */
import { createHash } from "node:crypto"
import type { AuthClient, AuthSeen, Canned, Issued } from "./AuthScript.ts"
import { clientOf, type AuthServer, type AuthWorld, type Grant } from "./AuthWorld.ts"
import { readDpopProof } from "./DpopProof.ts"

/** A refusal in the form of OAuth. */
export const oauthError = (error: string, status = 400, description?: string): Canned => ({
  status,
  json: { error, ...(description === undefined ? {} : { error_description: description }) }
})

/** Answers a token request. */
export const answerToken = (server: AuthServer, world: AuthWorld, seen: AuthSeen): Canned => {
  const fault = (error: string, why: string): Canned => {
    world.faults.push(`${server.name} /token: ${why}`)
    return oauthError(error, error === "invalid_client" ? 401 : 400, why)
  }
  const plain = (clientId: string, scopes: string): Canned => {
    const grant = { clientId, redirectUri: "", challenge: "", resource: world.resource(), scopes: scopes.split(" ") }
    return issue(server, world, grant, undefined)
  }
  const scripted = server.script.token?.(seen, plain)
  if (scripted !== undefined) return scripted

  const client = authenticated(server, seen)
  if (typeof client === "string") return fault("invalid_client", client)
  const key = boundKey(server, world, seen)
  if (key !== undefined && typeof key !== "string") return key
  const grant = grantOf(server, world, seen, client)
  if (typeof grant === "string") return fault("invalid_grant", grant)
  return issue(server, world, grant, key)
}

/** The client that a request is from. @returns what is wrong with how it says so, where something is */
const authenticated = (server: AuthServer, { form, headers }: AuthSeen): AuthClient | string => {
  const { authorization } = headers
  const basic = authorization?.startsWith("Basic ") === true ? authorization.slice(6) : undefined
  const [user, password] = basic === undefined ? [] : Buffer.from(basic, "base64").toString("utf8").split(":")
  const id = user === undefined ? form.get("client_id") : formDecoded(user)
  const client = id === null ? undefined : clientOf(server, id, form.get("redirect_uri") ?? "")
  if (client === undefined) return "the client is not known here"
  const shown = [
    authorization === undefined ? "" : "client_secret_basic",
    form.has("client_secret") ? "client_secret_post" : ""
  ].filter((method) => method !== "")
  if ((shown.length === 0 ? "none" : shown.join(" and ")) !== client.method) {
    return `the client is authenticated by ${shown.join(" and ") || "none"}, but registered for ${client.method}`
  }
  const secret = password === undefined ? (form.get("client_secret") ?? undefined) : formDecoded(password)
  return secret === client.secret || client.method === "none" ? client : "the secret of the client is wrong"
}

/** A value as RFC 6749 2.3.1 has it encoded. */
const formDecoded = (text: string): string => new URLSearchParams(`x=${text}`).get("x") ?? ""

const grantOf = (server: AuthServer, world: AuthWorld, { form }: AuthSeen, client: AuthClient): Grant | string => {
  const resource = form.get("resource")
  const { accepts = (asked) => asked === world.resource(), grants = (asked) => asked } = server.script
  if (form.getAll("resource").length > 1 || !accepts(resource)) return `resource is ${JSON.stringify(resource)}`
  switch (form.get("grant_type")) {
    case "authorization_code":
      return exchanged(server, form, client)
    case "refresh_token":
      return refreshed(server, form, client)
    case "client_credentials": {
      if (client.method === "none") return "the client has no credentials"
      const scopes = grants(form.get("scope") ?? "").split(" ")
      return { clientId: client.clientId, redirectUri: "", challenge: "", resource: resource ?? "", scopes }
    }
    default:
      return `grant_type is ${JSON.stringify(form.get("grant_type"))}`
  }
}

const exchanged = ({ codes }: AuthServer, form: URLSearchParams, client: AuthClient): Grant | string => {
  const code = form.get("code") ?? ""
  const grant = codes.get(code)
  codes.delete(code)
  if (grant === undefined) return "the code is not known, or was used before"
  if (grant.clientId !== client.clientId) return "the code is another client's"
  if (grant.redirectUri !== form.get("redirect_uri")) return "redirect_uri is not that of the authorization request"
  if (grant.resource !== form.get("resource")) return "resource is not that of the authorization request"
  const verifier = form.get("code_verifier") ?? ""
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return "code_verifier is none"
  return createHash("sha256").update(verifier).digest("base64url") === grant.challenge
    ? grant
    : "code_verifier does not fit"
}

const refreshed = ({ refreshes, script }: AuthServer, form: URLSearchParams, client: AuthClient): Grant | string => {
  const token = form.get("refresh_token") ?? ""
  const grant = refreshes.get(token)
  if (grant === undefined) return "the refresh token is not known, or was used before"
  if (grant.clientId !== client.clientId) return "the refresh token is another client's"
  if (grant.resource !== form.get("resource")) return "resource is not that of the first token"
  if (script.refreshTokens !== "kept") refreshes.delete(token)
  const scope = form.get("scope")?.split(" ") ?? grant.scopes
  return scope.every((one) => grant.scopes.includes(one)) ? { ...grant, scopes: scope } : "scope is more than before"
}

/** The key of the proof that a request carries, if it does. @returns the answer to a proof that is wrong */
const boundKey = (server: AuthServer, world: AuthWorld, seen: AuthSeen): string | Canned | undefined => {
  const { nonce } = server.script
  const text = seen.headers["dpop"]
  if (text === undefined && nonce === undefined) return undefined
  const proof = readDpopProof(String(text))
  if (typeof proof === "string") return oauthError("invalid_dpop_proof", 400, proof)
  const { htm, htu, jti } = proof.claims
  if (nonce !== undefined && proof.claims.nonce !== nonce) {
    return { ...oauthError("use_dpop_nonce"), headers: { "dpop-nonce": nonce } }
  }
  const fits = htm === "POST" && htu === `${server.origin}/token` && !world.proofs.has(jti)
  world.proofs.add(jti)
  return fits ? proof.key : oauthError("invalid_dpop_proof", 400, "the proof is not for this request")
}

const issue = (server: AuthServer, world: AuthWorld, grant: Grant, key: string | undefined): Canned => {
  const { expiresIn = 3600, refreshTokens = "rotated" } = server.script
  const token = world.fresh("access")
  const refresh = refreshTokens === "none" ? undefined : world.fresh("refresh")
  const { clientId, resource, scopes } = grant
  const issued: Issued = { token, refresh, issuer: server.issuer, clientId, resource, scopes, key }
  world.issued.set(token, issued)
  if (refresh !== undefined) server.refreshes.set(refresh, grant)
  return {
    headers: { "cache-control": "no-store" },
    json: {
      access_token: token,
      token_type: key === undefined ? "Bearer" : "DPoP",
      expires_in: expiresIn,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
      ...(refresh === undefined ? {} : { refresh_token: refresh })
    }
  }
}

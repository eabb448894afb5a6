/**
 * A scripted MCP server that wants tokens: natively at 2026-07-28, and from `initialize` on at 2025-11-25. It offers one
 * tool of every name.
 */
import type { AuthSeen, Canned, Issued, ProtectedMcpScript, Refusal, ResourceMetadataForm } from "./AuthScript.ts"
import { dpopTokenHash, readDpopProof } from "./DpopProof.ts"

/** The MCP server. */
export interface ProtectedMcp {
  readonly origin: string
  /** Where MCP is spoken. */
  readonly url: string
  script: ProtectedMcpScript
}

/** What it knows of tokens. */
export interface KnownTokens {
  readonly issued: ReadonlyMap<string, Issued>
  readonly proofs: Set<string>
  /** The issuers that it names now. */
  readonly issuers: ReadonlyArray<string>
}

const wellKnown = "/.well-known/oauth-protected-resource"

/** The identifier that it publishes. */
export const resourceOf = ({ script, url }: ProtectedMcp): string => script.resource ?? url

const onlyPath = (form: ResourceMetadataForm, document: object): Canned | undefined =>
  form === "path" ? { json: document } : undefined

/** Answers one request; `stream` for a GET that opens the server's own stream. */
export const answerMcp = (mcp: ProtectedMcp, known: KnownTokens, seen: AuthSeen): Canned | "stream" => {
  const { script } = mcp
  const { pathname } = new URL(mcp.url)
  if (seen.pathname !== pathname) {
    if (seen.verb !== "GET") return { status: 404 }
    const path = `${wellKnown}${pathname}`
    const form = seen.pathname === path ? "path" : seen.pathname === wellKnown ? "root" : "other"
    const document = { resource: resourceOf(mcp), authorization_servers: known.issuers, ...script.about }
    return (script.metadata ?? onlyPath)(form, document, seen.pathname) ?? { status: 404 }
  }
  const refusal = refusalOf(mcp, known, seen)
  if (refusal !== undefined) {
    const { challenge = ({ right }) => [right] } = script
    return { status: refusal.status, text: "", headers: { "www-authenticate": challenge(refusal) } }
  }
  return script.answer?.(seen) ?? speak(mcp, seen)
}

/** Why a request is not let in. */
const refusalOf = (mcp: ProtectedMcp, known: KnownTokens, seen: AuthSeen): Refusal | undefined => {
  const { needs = () => [], refuse } = mcp.script
  const needed = needs(seen)
  const forced = refuse?.(seen)
  if (forced === undefined && needed === false) return undefined
  const scopes = needed === false ? [] : needed
  const token = tokenOf(mcp, known, seen)
  const lacks = token !== undefined && scopes.some((scope) => !token.scopes.includes(scope))
  const status = forced ?? (token === undefined ? 401 : lacks ? 403 : undefined)
  if (status === undefined) return undefined
  const shown = seen.headers.authorization !== undefined
  const error = status === 403 ? "insufficient_scope" : shown ? "invalid_token" : undefined
  const scope = scopes.join(" ")
  const metadata = `${mcp.origin}${wellKnown}${new URL(mcp.url).pathname}`
  const parameters = [
    error === undefined ? "" : `error="${error}"`,
    scope === "" ? "" : `scope="${scope}"`,
    `resource_metadata="${metadata}"`
  ]
  const right = `Bearer ${parameters.filter((parameter) => parameter !== "").join(", ")}`
  return { status, error, scope, metadata, right }
}

/** The token that a request shows, where it is good here. */
const tokenOf = (mcp: ProtectedMcp, { issued, issuers, proofs }: KnownTokens, seen: AuthSeen): Issued | undefined => {
  const [scheme = "", shown = ""] = (seen.headers.authorization ?? "").split(" ")
  const token = issued.get(shown)
  if (token === undefined || !issuers.includes(token.issuer) || token.resource !== resourceOf(mcp)) return undefined
  if (token.key === undefined) return scheme === "Bearer" ? token : undefined
  const proof = readDpopProof(String(seen.headers["dpop"]))
  if (scheme !== "DPoP" || typeof proof === "string" || proof.key !== token.key) return undefined
  const { ath, htm, htu, jti } = proof.claims
  if (ath !== dpopTokenHash(shown) || htm !== seen.verb || htu !== mcp.url || proofs.has(jti)) return undefined
  proofs.add(jti)
  return token
}

const serverInfo = { name: "protected", version: "1.0.0" }

/** What MCP answers. */
const speak = ({ script }: ProtectedMcp, { headers, json, verb }: AuthSeen): Canned | "stream" => {
  if (verb === "GET") return "stream"
  if (verb === "DELETE") return { text: "" }
  const { id, method, params } = json ?? {}
  const result = (body: object, more: Canned = {}): Canned => ({ json: { jsonrpc: "2.0", id, result: body }, ...more })
  if (id === undefined || method === undefined) return { status: 202, text: "" }
  const native = headers["mcp-protocol-version"] === "2026-07-28" || method === "server/discover"
  if (native && script.era === "compat") return { status: 400, text: "" }
  const kind = native ? { resultType: "complete" } : {}
  switch (method) {
    case "server/discover":
      return result({
        ...kind,
        supportedVersions: script.era === "native" ? ["2026-07-28"] : ["2026-07-28", "2025-11-25"],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": serverInfo }
      })
    case "initialize":
      return result(
        { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
        { headers: { "mcp-session-id": "session" } }
      )
    case "tools/list":
      return result({
        ...kind,
        tools: [{ name: "a", inputSchema: { type: "object" } }],
        ttlMs: 0,
        cacheScope: "private"
      })
    case "tools/call":
      return result({ ...kind, content: [{ type: "text", text: `${params?.name} ran` }] })
    default:
      return result(kind)
  }
}

/**
 * What scripted authorization servers know: their clients, and what was issued.
 */
import type { AuthClient, AuthServerScript, Issued } from "./AuthScript.ts"

/** What a person agreed to. */
export interface Grant {
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
  readonly scopes: ReadonlyArray<string>
}

/** What the servers of one test share. */
export interface AuthWorld {
  /** Every token that is good now. */
  readonly issued: Map<string, Issued>
  /** Proofs that were shown, so that none is shown twice. */
  readonly proofs: Set<string>
  /** What clients did wrong, in words; a test of a right client finds none. */
  readonly faults: Array<string>
  /** The identifier that the MCP server publishes. */
  readonly resource: () => string
  /** Makes a text that was not there before. */
  readonly fresh: (what: string) => string
}

/** One authorization server. */
export interface AuthServer {
  readonly name: string
  readonly origin: string
  readonly issuer: string
  script: AuthServerScript
  /** By id. Add one that is registered beforehand; those that register themselves come to it. */
  readonly clients: Map<string, AuthClient>
  /** What was agreed to and not fetched yet, by code. */
  readonly codes: Map<string, Grant>
  /** Refresh tokens that are good now, with what they were issued with. */
  readonly refreshes: Map<string, Grant>
}

/** The client of an id; the address of a metadata document stands for a client without a secret. */
export const clientOf = ({ clients }: AuthServer, clientId: string, redirectUri: string): AuthClient | undefined =>
  clients.get(clientId) ??
  (clientId.startsWith("https://") ? { clientId, method: "none", redirectUris: [redirectUri] } : undefined)

/**
 * What a test may tell a scripted authorization server and the MCP server that it protects. Every member may be changed
 * while they run; without any, both do what the specification wants of them.
 */
import type { HttpSeen } from "./ScriptedHttp.ts"

/** One request to any of the servers. */
export interface AuthSeen extends HttpSeen {
  /** `mcp`, or `as1`, `as2` and so on. */
  readonly at: string
  /** Which, what and where in one line, such as `as1 POST /token`. */
  readonly line: string
  /** The path without the query. */
  readonly pathname: string
  readonly query: URLSearchParams
  /** The body as a form. */
  readonly form: URLSearchParams
  /** When it came, in milliseconds since some time before the test. */
  readonly time: number
}

/** An answer as it goes out. */
export interface Canned {
  /** 200 by default. */
  readonly status?: number
  readonly headers?: Record<string, string | Array<string>>
  readonly json?: unknown
  /** Goes out in place of JSON. */
  readonly text?: string
  /** Breaks the connection in place of an answer. */
  readonly reset?: true
}

/** A web page where something else was due. */
export const htmlPage: Canned = {
  text: "<!doctype html><title>Welcome</title>",
  headers: { "content-type": "text/html" }
}

/** The addresses of authorization server metadata, in the order in which they are asked (AUTH-04). */
export type ServerMetadataForm = "oauth" | "openid" | "openid-appended"

/** A client as an authorization server knows it. */
export interface AuthClient {
  readonly clientId: string
  readonly secret?: string
  readonly method: "none" | "client_secret_post" | "client_secret_basic"
  readonly redirectUris: ReadonlyArray<string>
}

/** A token that was issued. */
export interface Issued {
  readonly token: string
  readonly refresh: string | undefined
  readonly issuer: string
  readonly clientId: string
  readonly resource: string
  readonly scopes: ReadonlyArray<string>
  /** The thumbprint of the key that it is bound to. */
  readonly key: string | undefined
}

/** What an authorization server says. */
export interface AuthServerScript {
  /** The answer at one address, 404 for `undefined`. By default the document is at the first address alone. */
  metadata?: (form: ServerMetadataForm, document: object) => Canned | undefined
  /**
   * The answer to a registration; what it says of method and secret is what counts at the token endpoint.
   *
   * @param right the answer of a server that gives what was asked for, with status 201
   */
  register?: (asked: any, right: Canned & { readonly json: object }) => Canned
  /**
   * Where the person is sent: parameters for the redirect address, or another answer.
   *
   * @param right a code, the state and the issuer
   */
  authorize?: (asked: URLSearchParams, right: Record<string, string>) => URLSearchParams | Canned
  /**
   * Takes a token request before it is looked at. @returns nothing where the usual answer is wanted
   *
   * @param issue makes a token for a client, without looking at anything
   */
  token?: (seen: AuthSeen, issue: (clientId: string, scopes: string) => Canned) => Canned | undefined
  /** Whether tokens are issued for this; by default for exactly the identifier that the MCP server publishes. */
  accepts?: (resource: string | null) => boolean
  /** What is granted of the scopes that were asked for, all by default. */
  grants?: (asked: string) => string
  /** `rotated` by default: each is good for one refresh. */
  refreshTokens?: "rotated" | "kept" | "none"
  /** Seconds, 3600 by default. It is only said: a token dies by `revoke`. */
  expiresIn?: number
  /** A nonce that proofs of possession must carry at the token endpoint. */
  nonce?: string
}

/** The addresses of protected resource metadata: those well known, and any other. */
export type ResourceMetadataForm = "path" | "root" | "other"

/** Why the MCP server refuses a request. */
export interface Refusal {
  readonly status: 401 | 403
  readonly error: "invalid_token" | "insufficient_scope" | undefined
  readonly scope: string
  /** The address of the metadata that is well known. */
  readonly metadata: string
  /** The challenge of a server that does all right. */
  readonly right: string
}

/** What the protected MCP server says. */
export interface ProtectedMcpScript {
  /** Both by default: natively, and from `initialize` on for who asks for that. */
  era?: "native" | "compat"
  /** The identifier that it publishes; its address by default. */
  resource?: string
  /** The issuers that it names; that of the first authorization server by default. */
  issuers?: ReadonlyArray<string>
  /** More members of its metadata. */
  about?: object
  /** The answer to any GET but that of the MCP address. By default the document is at the path form alone. */
  metadata?: (form: ResourceMetadataForm, document: object, path: string) => Canned | undefined
  /** The scopes that a request needs, or `false` where it needs no token. No scopes by default. */
  needs?: (seen: AuthSeen) => ReadonlyArray<string> | false
  /** Refuses a request whatever it shows. */
  refuse?: (seen: AuthSeen) => 401 | 403 | undefined
  /** The lines of `WWW-Authenticate`. */
  challenge?: (refusal: Refusal) => Array<string>
  /** Answers an MCP request that was let in. @returns whether it did */
  answer?: (seen: AuthSeen) => Canned | undefined
}

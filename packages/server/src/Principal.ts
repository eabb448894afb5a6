/**
 * Who is calling, as something verified said so. What a client says of itself never makes a principal.
 */
import type { JsonObject } from "@treadle/protocol/json"

interface Named {
  /** Stable and unique among the callers of a server. */
  readonly id: string
  /** What the caller may do, with everything that follows from it. */
  readonly scopes: ReadonlyArray<string>
}

/** The embedding application vouches for the caller, in the context that it passed to the door. */
export interface ContextPrincipal extends Named {
  readonly via: "context"
}

/** A token of an authorization server does; its `id` is made of issuer and subject. */
export interface TokenPrincipal extends Named {
  readonly via: "token"
  readonly issuer: string
  readonly subject: string
  /** The software that the token was issued to, where it says so. */
  readonly clientId?: string
  /** Milliseconds since 1970. */
  readonly expiresAt?: number
  /** Everything else that the token says. */
  readonly claims: JsonObject
}

/** A secret that was agreed with the caller does. */
export interface BearerPrincipal extends Named {
  readonly via: "bearer"
}

/** A client certificate does, which an authority of the server's own signed. */
export interface CertificatePrincipal extends Named {
  readonly via: "certificate"
  /** The subject of the certificate, such as `CN=robot,O=Example`. */
  readonly subject: string
  /** SHA-256, in hexadecimal. */
  readonly fingerprint: string
}

/** What an application says of a caller that it has authenticated: the id, or the id and what the caller may do. */
export type Vouched = string | { readonly id: string; readonly scopes: ReadonlyArray<string> }

/** The caller that an application vouches for; `undefined` is nobody in particular. */
export const contextPrincipal = (vouched: Vouched | undefined): ContextPrincipal | undefined => {
  if (vouched === undefined) return undefined
  return typeof vouched === "string"
    ? { via: "context", id: vouched, scopes: [] }
    : { via: "context", id: vouched.id, scopes: vouched.scopes ?? [] }
}

/** The verified caller; `via` says what vouches for it. */
export type Principal = ContextPrincipal | TokenPrincipal | BearerPrincipal | CertificatePrincipal

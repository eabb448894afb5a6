/** What verifies access tokens on a server: JWTs with the keys of their issuer, and any token by asking its issuer. */
export { JwtVerifier, type JwtSettings, type JwtVerifierSettings } from "./JwtVerifier.ts"
export { Introspection, type IntrospectionClient, type IntrospectionSettings } from "./Introspection.ts"

/** What both may be told. */
export type { AuthoritySettings } from "./Authority.ts"
export type { KeySettings, TrustedIssuer } from "./IssuerKeys.ts"
export type { TokenSettings } from "./TokenRules.ts"
export type { OAuthRequest, OAuthSender } from "../OAuthSender.ts"

/** The contract that they fulfil. */
export type { PresentedToken, TokenVerifier, VerifiedToken } from "@treadle/server"

/** What verifies access tokens on a server. */
export type { PresentedToken, TokenVerifier, VerifiedToken } from "@treadle/server"

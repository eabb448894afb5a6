/**
 * The client as an authorization server knows it, and how it proves at the token endpoint that it is itself.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as OAuth from "oauth4webapi"
import { own } from "@treadle/protocol/json"
import type { AuthReason } from "../AuthError.ts"
import type { ServerFacts } from "./Discovery.ts"
import { readPrivateKey, type PrivateKeyText } from "./SigningKey.ts"

/** How a client proves itself (RFC 7591 section 2). */
export type ClientProof = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt"

/** A client, at one authorization server. */
export interface OAuthClient {
  readonly id: string
  readonly proof: ClientProof
  readonly secret?: Redacted.Redacted | undefined
  readonly key?: PrivateKeyText | undefined
}

/** One value as a form has it; a server that does not decode it sees letters, digits, `-`, `.` and `_` as they are. */
const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

/** HTTP Basic, with both parts encoded as in a form (RFC 6749 section 2.3.1). */
const clientSecretBasic =
  (secret: string): OAuth.ClientAuth =>
  (_, { client_id: id }, __, headers) =>
    headers.set("authorization", `Basic ${btoa(`${formEncoded(id)}:${formEncoded(secret)}`)}`)

/** What adds the proof of a client to a request. One without the secret or the key of its method has none to show. */
export const clientAuth = ({ key, proof, secret }: OAuthClient): Effect.Effect<OAuth.ClientAuth, AuthReason> => {
  if (proof === "private_key_jwt" && key !== undefined) {
    return Effect.map(readPrivateKey(key), (read) => OAuth.PrivateKeyJwt(read))
  }
  if (secret === undefined || proof === "none") return Effect.succeed(OAuth.None())
  const text = Redacted.value(secret)
  return Effect.succeed(proof === "client_secret_post" ? OAuth.ClientSecretPost(text) : clientSecretBasic(text))
}

/** The proofs that a server lists; RFC 8414 has it that a server which lists nothing takes `client_secret_basic`. */
export const proofsOf = ({ metadata }: ServerFacts): ReadonlyArray<string> | undefined => {
  const listed = own(metadata, "token_endpoint_auth_methods_supported")
  return Array.isArray(listed) ? listed.filter((one) => typeof one === "string") : undefined
}

/** The proof of a client that was registered before, at this server. */
export const proofFor = ({ key, secret }: Pick<OAuthClient, "key" | "secret">, server: ServerFacts): ClientProof => {
  if (key !== undefined) return "private_key_jwt"
  if (secret === undefined) return "none"
  const listed = proofsOf(server)
  const posts = listed !== undefined && !listed.includes("client_secret_basic") && listed.includes("client_secret_post")
  return posts ? "client_secret_post" : "client_secret_basic"
}

/**
 * Reads proofs of possession (RFC 9449) with nothing but the platform.
 */
import { createHash, createPublicKey, verify } from "node:crypto"

/** A proof whose signature is right. */
export interface DpopProof {
  readonly claims: any
  /** The thumbprint of its key (RFC 7638). */
  readonly key: string
}

const jsonOf = (part: string): any => JSON.parse(Buffer.from(part, "base64url").toString("utf8"))

/** Reads a proof. @returns what is wrong with it, where something is */
export const readDpopProof = (text: string): DpopProof | string => {
  try {
    const [head = "", body = "", signature = ""] = text.split(".")
    const { alg, jwk, typ } = jsonOf(head)
    if (alg !== "ES256" || typ !== "dpop+jwt" || jwk.d !== undefined) return "the header of the proof is wrong"
    const key = createPublicKey({ key: jwk, format: "jwk" })
    const signed = verify(
      "sha256",
      Buffer.from(`${head}.${body}`),
      { key, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url")
    )
    if (!signed) return "the signature of the proof is wrong"
    const { crv, kty, x, y } = jwk
    const key256 = createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url")
    return { claims: jsonOf(body), key: key256 }
  } catch {
    return "the proof cannot be read"
  }
}

/** The hash of a token that its proof carries. */
export const dpopTokenHash = (token: string): string => createHash("sha256").update(token).digest("base64url")

/**
 * The metadata of an issuer: where its keys and endpoints are, found at the addresses that follow from its name.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3
 */
import { VerifierUnavailable } from "@treadle/server"
import { isJsonObject, own, parseJson, type JsonObject } from "@treadle/protocol/json"
import * as Effect from "effect/Effect"
import type { AuthorityAnswer } from "../AuthorityCall.ts"
import { serverAddresses } from "../WellKnown.ts"
import { noDocument, type Authority } from "./Authority.ts"

/** The document in an answer, or what is wrong with it. */
const documentIn = (answer: AuthorityAnswer, issuer: string): JsonObject | string => {
  const wrong = noDocument(answer)
  if (wrong !== undefined) return wrong
  const document = parseJson(answer.text)
  if (!isJsonObject(document)) return "it is no JSON object"
  // Nothing is normalised: a name that is almost the same is another issuer (AUTH-05, RFC 8414 section 3.3).
  return own(document, "issuer") === issuer ? document : "it is the metadata of another issuer"
}

/** Reads the metadata of an issuer. */
export const readMetadata = Effect.fnUntraced(function* (authority: Authority, issuer: string) {
  const tried: Array<string> = []
  for (const address of serverAddresses(new URL(issuer))) {
    const answer = yield* authority({ url: new URL(address), what: "the metadata of the issuer" })
    const document = documentIn(answer, issuer)
    if (typeof document !== "string") return document
    tried.push(`${address} (${document})`)
  }
  const why = `the metadata of the issuer ${issuer} was not found; asked were ${tried.join(", ")} (RFC 8414 section 3)`
  return yield* new VerifierUnavailable({ why })
})

/** An address that the metadata of an issuer names. @param name such as `jwks_uri` */
export const addressIn = (
  metadata: JsonObject,
  issuer: string,
  name: string
): Effect.Effect<URL, VerifierUnavailable> => {
  const address = own(metadata, name)
  if (typeof address === "string" && URL.canParse(address)) return Effect.succeed(new URL(address))
  const why = `the metadata of the issuer ${issuer} has no address in ${name}; name the address in the settings`
  return Effect.fail(new VerifierUnavailable({ why }))
}

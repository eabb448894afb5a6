/**
 * A login as it is kept: a token, what it is bound to, and what it can be renewed with.
 */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const Secret = Schema.RedactedFromValue(Schema.String)

const optional = Schema.optionalKey

/** A registration that an authorization server gave. */
export const Registered = Schema.Struct({
  id: Schema.String,
  proof: Schema.Literals(["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]),
  secret: optional(Secret),
  /** Milliseconds since 1970. */
  secretExpiresAt: optional(Schema.Finite),
  redirectUri: Schema.String
})
export type Registered = typeof Registered.Type

/** A token that an authorization server issued for a resource. */
export const Grant = Schema.Struct({
  /** Of the authorization; it stays when the token is renewed. */
  id: Schema.String,
  issuer: Schema.String,
  resource: Schema.String,
  clientId: Schema.String,
  /** The registration behind the client id, where there is one; a later one does not take its place. */
  registered: optional(Registered),
  token: Secret,
  /** How it is shown. */
  scheme: Schema.Literals(["Bearer", "DPoP"]),
  refreshToken: optional(Secret),
  /** Milliseconds since 1970; absent where the server does not say. */
  expiresAt: optional(Schema.Finite),
  /** When it is renewed, likewise. */
  renewAt: optional(Schema.Finite),
  /** All scopes that were asked for up to now. */
  requested: Schema.Array(Schema.String),
  /** The key that it is bound to, as a private JWK. */
  bindingKey: optional(Secret)
})
export type Grant = typeof Grant.Type

/** Which authorization server a server was last authorized by, and for which resource. */
export const Binding = Schema.Struct({ issuer: Schema.String, resource: Schema.String })
export type Binding = typeof Binding.Type

/** A kept text as a value; what is of another form counts as nothing. */
const opened = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(schema))
  const encode = Schema.encodeSync(Schema.fromJsonString(schema))
  return {
    decode: (text: Redacted.Redacted): S["Type"] | undefined => Option.getOrUndefined(decode(Redacted.value(text))),
    encode: (value: S["Type"]): Redacted.Redacted => Redacted.make(encode(value))
  }
}

/** How each kind of record is kept. */
export const Kept = { grant: opened(Grant), registered: opened(Registered), binding: opened(Binding) }

/** How long before its end a token is renewed at most, in milliseconds, because it has a way to go. */
const early = 60_000

/** How long a token is used that lasts so many seconds; one that lasts minutes is used for nine tenths of them. */
export const validity = (seconds: number, now: number): Required<Pick<Grant, "expiresAt" | "renewAt">> => {
  const lifetime = seconds * 1000
  return { expiresAt: now + lifetime, renewAt: now + lifetime - Math.min(early, lifetime / 10) }
}

/** Whether a token is, or is about to be, no longer valid. */
export const isExpiring = ({ expiresAt, renewAt = expiresAt }: Grant, now: number): boolean =>
  renewAt !== undefined && renewAt <= now

/** The `Authorization` header of a grant. */
export const authorizationOf = ({ scheme, token }: Grant): string => `${scheme} ${Redacted.value(token)}`

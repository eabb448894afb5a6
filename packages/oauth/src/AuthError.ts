/**
 * Why authorization failed: one error, `AuthError`, whose tagged `reason` says which of a closed set of things happened,
 * names the rule that was broken, and carries the facts. No reason holds a token, a code or a secret.
 */
import * as Data from "effect/Data"

/** How many characters of a value from outside are told. */
export const maxWords = 300

/** A text from outside, no longer than is of use. */
export const shortened = (text: string): string => (text.length > maxWords ? `${text.slice(0, maxWords)}…` : text)

/** A value from outside in a sentence: as JSON, in one line, and no longer than is of use. */
export const quoted = (value: unknown): string =>
  shortened(JSON.stringify(value) ?? "nothing").replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`
  )

/** An address that came from outside may not be called. */
class AddressRefused extends Data.TaggedError("AddressRefused")<{
  readonly url: string
  /** What it is, such as `the token endpoint`. */
  readonly what: string
  readonly why: string
  readonly rule: string
}> {
  override get message(): string {
    return `${this.what}, ${this.url}, is not called: ${this.why} (${this.rule})`
  }
}

/** An address that was asked in vain, and how it answered. */
export interface Tried {
  readonly url: string
  readonly outcome: string
}

/** A metadata document is at none of the addresses where it may be. */
class NotDiscovered extends Data.TaggedError("NotDiscovered")<{
  /** Such as `the metadata of the authorization server`. */
  readonly what: string
  readonly tried: ReadonlyArray<Tried>
  readonly rule: string
}> {
  override get message(): string {
    const tried = this.tried.map(({ outcome, url }) => `${url} (${outcome})`).join(", ")
    return `${this.what} was not found; asked were ${tried} (${this.rule})`
  }
}

/** Two values that must be the same are not. */
class Mismatch extends Data.TaggedError("Mismatch")<{
  /** Such as `the issuer in the metadata`. */
  readonly what: string
  readonly expected: string
  /** `undefined` where it is missing. */
  readonly received: string | undefined
  readonly rule: string
}> {
  override get message(): string {
    const received = this.received === undefined ? "missing" : quoted(this.received)
    return `${this.what} is ${received}, but must be ${quoted(this.expected)} (${this.rule})`
  }
}

/** The authorization server cannot do what is needed, or says what cannot be. */
class Unsupported extends Data.TaggedError("Unsupported")<{ readonly why: string; readonly rule: string }> {
  override get message(): string {
    return `${this.why} (${this.rule})`
  }
}

/** There is no client to log in as. */
class NoClient extends Data.TaggedError("NoClient")<{ readonly why: string; readonly rule: string }> {
  override get message(): string {
    return `${this.why} (${this.rule})`
  }
}

/** The authorization server said no, in the words of OAuth. */
class Refused extends Data.TaggedError("Refused")<{
  /** What was asked, such as `the token request`. */
  readonly what: string
  /** The code, such as `invalid_grant`. */
  readonly error: string
  readonly description?: string
  readonly status?: number
}> {
  override get message(): string {
    const { description, error, what } = this
    const code = /^[\w.-]+$/.test(error) ? error : quoted(error)
    return `${what} was refused: ${code}${description === undefined ? "" : `, ${quoted(description)}`}`
  }
}

/** An endpoint did not answer, or not now; the login is kept and the request may be made again. */
class Unavailable extends Data.TaggedError("Unavailable")<{
  readonly url: string
  readonly what: string
  readonly why: string
  /** How long to wait before the next try, in milliseconds. */
  readonly retryAfter?: number
}> {
  override get message(): string {
    return `${this.what}, ${this.url}, gave no answer to go on with: ${this.why}; try again later`
  }
}

/** A person has to log in, and there is nobody to ask, or they did not. */
class LoginNeeded extends Data.TaggedError("LoginNeeded")<{ readonly why: string }> {
  override get message(): string {
    return this.why
  }
}

/** Tokens could not be kept or read. */
class StoreFailed extends Data.TaggedError("StoreFailed")<{ readonly why: string }> {
  override get message(): string {
    return `the token store failed: ${this.why}`
  }
}

/** The reasons, for those who make errors themselves, as stores and browsers of your own do. */
export const AuthReason = {
  AddressRefused,
  NotDiscovered,
  Mismatch,
  Unsupported,
  NoClient,
  Refused,
  Unavailable,
  LoginNeeded,
  StoreFailed
}

/** Why authorization failed. */
export type AuthReason = InstanceType<(typeof AuthReason)[keyof typeof AuthReason]>

/** The reason that a store fails with. */
export type StoreFailure = InstanceType<typeof StoreFailed>

/** The reason that a browser fails with. */
export type LoginFailure = InstanceType<typeof LoginNeeded>

/** Authorization that failed. */
export class AuthError extends Data.TaggedError("AuthError")<{
  readonly reason: AuthReason
  /** The address of the MCP server, without credentials and query. */
  readonly server: string
}> {
  override get message(): string {
    return `authorization at ${this.server}: ${this.reason.message}`
  }
}

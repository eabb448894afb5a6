/**
 * What a server asks to be shown, as `WWW-Authenticate` says it. Total: a part that is broken or said twice says nothing,
 * so that a client falls back to what it can find out by itself.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */

/** One way to authorize that a server names. */
export interface Challenge {
  /** In lower case, such as `bearer`. */
  readonly scheme: string
  /** By name in lower case. A name that came twice with different values is not in here. */
  readonly parameters: ReadonlyMap<string, string>
}

const word = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y
/** A value without quotes. It is a word by the grammar, but servers write addresses so, too. */
const bare = /[^\s",]+/y
const quoted = /"((?:[^"\\]|\\[\s\S])*)"/y
/** What a challenge may have in place of parameters; MCP uses none. */
const token68 = /[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))/y
const spaces = /[ \t]*/y
const commas = /[ \t,]*/y

/** Reads a text from left to right. */
class Cursor {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get done(): boolean {
    return this.#at >= this.#text.length
  }

  take(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at
    const found = form.exec(this.#text) ?? undefined
    if (found !== undefined) this.#at = form.lastIndex
    return found
  }

  /** Goes back to where it was. */
  mark(): () => void {
    const at = this.#at
    return () => void (this.#at = at)
  }
}

const valueOf = (cursor: Cursor): string | undefined => {
  const text = cursor.take(quoted)
  return text === undefined ? cursor.take(bare)?.[0] : text[1]?.replaceAll(/\\([\s\S])/g, "$1")
}

/** `name = value`, where that is what comes next. */
const parameterOf = (cursor: Cursor): readonly [string, string | undefined] | undefined => {
  const back = cursor.mark()
  const name = cursor.take(word)?.[0]
  cursor.take(spaces)
  if (name === undefined || cursor.take(/=/y) === undefined) return void back()
  cursor.take(spaces)
  return [name.toLowerCase(), valueOf(cursor)]
}

/**
 * The parameters after a scheme.
 *
 * @returns nothing where one of them cannot be read, because then nothing after it can be trusted
 */
const parametersOf = (cursor: Cursor): Map<string, string> | undefined => {
  const found = new Map<string, string>()
  const twice = new Set<string>()
  for (;;) {
    cursor.take(commas)
    const parameter = parameterOf(cursor)
    if (parameter === undefined) break
    const [name, value] = parameter
    if (value === undefined) return undefined
    if (found.has(name) && found.get(name) !== value) twice.add(name)
    found.set(name, value)
  }
  for (const name of twice) found.delete(name)
  return found
}

/**
 * Reads a `WWW-Authenticate` header; several header lines are joined by commas.
 *
 * @example
 * ```ts
 * import { parseChallenges } from "@treadle/protocol/http"
 *
 * const [challenge] = parseChallenges('Bearer realm="a, b", scope="tools:call"')
 * challenge?.parameters.get("scope") // => "tools:call"
 * ```
 */
export const parseChallenges = (header: string): ReadonlyArray<Challenge> => {
  const cursor = new Cursor(header)
  const challenges: Array<Challenge> = []
  for (cursor.take(commas); !cursor.done; cursor.take(commas)) {
    const scheme = cursor.take(word)?.[0]
    if (scheme === undefined) break
    cursor.take(spaces)
    const parameters = cursor.take(token68) === undefined ? parametersOf(cursor) : new Map<string, string>()
    challenges.push({ scheme: scheme.toLowerCase(), parameters: parameters ?? new Map<string, string>() })
    if (parameters === undefined) break
  }
  return challenges
}

/** The value as a quoted string; characters that a header cannot have are left out. */
const quote = (value: string): string =>
  `"${value.replaceAll(/[^\t\x20-\x7e]/g, "").replaceAll(/["\\]/g, (character) => `\\${character}`)}"`

/**
 * Writes one challenge. @param scheme as it is shown, such as `Bearer`
 *
 * @param parameters those that are `undefined` are left out
 */
export const printChallenge = (scheme: string, parameters: { readonly [name: string]: string | undefined }): string => {
  const printed = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${quote(value)}`]
  )
  return printed.length === 0 ? scheme : `${scheme} ${printed.join(", ")}`
}

/**
 * Keeps secrets out of what is told to people: where somebody else repeats one, `***` stands in its place.
 */

/** Half of a letter of two, which no address can hold. */
const halfLetter = /\p{Surrogate}/gu

/**
 * Takes texts out of others, as they are, and as JSON and addresses write them.
 *
 * @param secrets one of up to 3 characters is left: it would be found everywhere
 *
 * @example
 * ```ts
 * import { censorOf } from "@treadle/protocol/json"
 *
 * censorOf(["k-123"])("the key k-123 is unknown") // => "the key *** is unknown"
 * ```
 */
export const censorOf = (secrets: ReadonlyArray<string>): ((text: string) => string) => {
  const hidden = secrets
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret.replaceAll(halfLetter, "\ufffd"))
    ])
    .filter((secret) => secret.length > 3)
    .sort((one, other) => other.length - one.length)
  return (text) => hidden.reduce((censored, secret) => censored.replaceAll(secret, "***"), text)
}

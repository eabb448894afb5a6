/**
 * Ids of runs: 128 bits from the random service, so that a test may seed them.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

const word = Effect.map(Random.nextIntBetween(0, 0xffff_ffff), (value) => value.toString(16).padStart(8, "0"))

/** 32 hexadecimal digits. */
export const randomId: Effect.Effect<string> = Effect.map(Effect.all([word, word, word, word]), (words) =>
  words.join("")
)

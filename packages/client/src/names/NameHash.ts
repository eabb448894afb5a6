/**
 * A short hash for names: 41 bits in 8 letters, the same in every process and for ever. It tells names apart; whoever
 * looks for two texts with one hash finds them.
 */

/** FNV-1a of 32 bits over the bytes of UTF-16, from a start of its own for each seed, its bits mixed at the end. */
const fnv = (text: string, seed: number): number => {
  let hash = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1)
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193)
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

const letters = (hash: number): string => hash.toString(36).padStart(4, "0").slice(-4)

/**
 * @param round another one is another hash of the same text
 * @returns 8 of `0-9 a-z`
 */
export const hashOf = (text: string, round: number): string =>
  letters(fnv(text, 2 * round)) + letters(fnv(text, 2 * round + 1))

/**
 * Names of tools as every service takes them: 1 to 64 of `A-Z a-z 0-9 _ -`. A name that fits is sent as it is, any other
 * one folded, with a hash; each has one name on the wire and back (A8).
 */

const longest = 64
const fits = /^[A-Za-z0-9_-]{1,64}$/

/** Names of one request. */
export interface WireNames {
  readonly toWire: (name: string) => string
  /** A name that the model made up stays as it is. */
  readonly fromWire: (name: string) => string
}

/** 32 bits of FNV-1a over the code units. */
const hashOf = (text: string): string => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}

const folded = (name: string, round: number): string => {
  const suffix = `_${hashOf(`${round}:${name}`)}`
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, longest - suffix.length) + suffix
}

/**
 * @param names those of a request: of its tools, and of earlier calls, which may be of tools that are gone
 */
export const makeWireNames = (names: Iterable<string>): WireNames => {
  const toWire = new Map<string, string>()
  const fromWire = new Map<string, string>()
  const all = [...new Set(names)]
  for (const name of all.filter((one) => fits.test(one))) fromWire.set(name, name)
  for (const name of all.filter((one) => !fits.test(one))) {
    let round = 0
    while (fromWire.has(folded(name, round))) round++
    toWire.set(name, folded(name, round))
    fromWire.set(folded(name, round), name)
  }
  return {
    toWire: (name) => toWire.get(name) ?? name,
    fromWire: (name) => fromWire.get(name) ?? name
  }
}

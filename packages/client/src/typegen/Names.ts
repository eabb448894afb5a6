/**
 * Names of TypeScript for names from outside: valid, taken once, and the same for the same list.
 */

/** Words that are no name for a constant, or that the written module uses itself. */
const taken = (
  "Arg Endpoint Schema contract RegExp ReadonlyArray arguments eval undefined NaN Infinity globalThis then " +
  "break case catch class const continue debugger default delete do else enum export extends false finally for " +
  "function if import in instanceof new null return super switch this throw true try typeof var void while with " +
  "implements interface let package private protected public static yield await " +
  "any unknown never string number boolean object symbol bigint Any Unknown"
).split(" ")

const longest = 64

const words = (name: string): ReadonlyArray<string> => name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "")

const capital = (word: string): string => {
  const spelled = /^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word
  return spelled.charAt(0).toUpperCase() + spelled.slice(1)
}

/** A leading run of capitals in lower case, but for the one that starts the next word: `HTTPGet` is `httpGet`. */
const small = (word: string): string => word.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (run) => run.toLowerCase())

const startingWithLetter = (name: string, before: string): string => (/^[A-Za-z]/.test(name) ? name : before + name)

/** `get_show` as `getShow`. */
export const constantName = (name: string): string => {
  const [first = "tool", ...rest] = words(name)
  return startingWithLetter(small(first) + rest.map(capital).join(""), "tool").slice(0, longest)
}

/** `show-ref` as `ShowRef`, and `ShowRef` as it is; `fallback` where nothing of the name is left. */
export const typeName = (name: string, fallback: string): string => {
  const spelled = /^[A-Z][A-Za-z0-9]*$/.test(name) ? name : words(name).map(capital).join("")
  return startingWithLetter(spelled || fallback, fallback).slice(0, longest)
}

/** Hands out names of one module. */
export class Names {
  readonly #used = new Set<string>(taken)
  readonly #counts = new Map<string, number>()

  /**
   * Takes a name that is free: the wanted one, with the suffix where it is a word of the language, or with a number.
   *
   * @param wanted a valid name
   */
  take(wanted: string, suffix: string): string {
    const base = taken.includes(wanted) ? wanted + suffix : wanted
    let name = base
    while (this.#used.has(name)) {
      const count = (this.#counts.get(base) ?? 1) + 1
      this.#counts.set(base, count)
      name = `${base}${count}`
    }
    this.#used.add(name)
    return name
  }
}

/**
 * Names in an object of settings that its reader does not know. Types forbid them, and plain JavaScript does not: what was
 * meant by a name that is written wrongly would silently not hold.
 */
import { nearestNames } from "./NearestNames.ts"

/** A name that is not known, and what to do about it. */
export interface UnknownName {
  readonly name: string
  readonly why: string
}

/** The name that is near, or that begins like the other: `auth` for `authentication`. */
const meantBy = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const [nearest] = nearestNames(name, known, 1)
  return nearest ?? known.find((one) => name.startsWith(one) || one.startsWith(name))
}

/**
 * The names of an object that are not known, except those without a value.
 *
 * @param what the names are called, as `setting`
 */
export const unknownNames = (
  given: object,
  known: ReadonlyArray<string>,
  what = "setting"
): ReadonlyArray<UnknownName> =>
  Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined || known.includes(name)) return []
    const meant = meantBy(name, known)
    const cure = meant === undefined ? `there are ${known.join(", ")}` : `write ${meant}`
    return [{ name, why: `there is no such ${what}; ${cure}` }]
  })

/** The names of a type, which has to have them all. */
export const namesOf = <S extends object>(names: {
  readonly [name in keyof Required<S>]: true
}): ReadonlyArray<string> => Object.keys(names)

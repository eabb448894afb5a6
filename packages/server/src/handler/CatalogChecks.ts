/**
 * What keeps a catalog from being served. Pure, but for the author's function that says what is allowed.
 */
import { isRecord, nearestNames } from "@treadle/protocol/json"
import type { McpBuildError } from "../McpBuildError.ts"
import { reaches } from "./CatalogTools.ts"
import type { CatalogEntry, Entries } from "./Entry.ts"
import { entryKey } from "./EntryChange.ts"
import { settingNames, unknownSettings } from "./SettingNames.ts"

const quoted = (name: unknown): string => JSON.stringify(name) ?? String(name)

/** Names of operations that are there at the start, in order. */
const namesOf = ({ operations }: Entries, promoted: boolean): ReadonlyArray<string> =>
  operations.filter((entry) => entry.promoted === promoted).map(entryKey.operations)

const unknownName = (name: unknown, entries: Entries): string | undefined => {
  if (typeof name !== "string") return `allow has ${quoted(name)}, which is no name`
  const operations = namesOf(entries, false)
  if (operations.includes(name)) return undefined
  if (namesOf(entries, true).includes(name)) {
    return `allow has ${quoted(name)}, which is a tool and is called by its name: leave it out, or add it with operation(…)`
  }
  const [nearest] = nearestNames(name, operations)
  const cure = nearest === undefined ? "add it with operation(…), or leave it out" : `write ${quoted(nearest)}`
  return `allow has ${quoted(name)}, which is no operation: ${cure}`
}

const problemsOf = ({ options }: CatalogEntry, entries: Entries): ReadonlyArray<string> => {
  if (!isRecord(options)) return ['its options must be an object; write catalog({ allow: ["create_hold"] })']
  const { allow } = options
  const unknown = unknownSettings(options, settingNames.catalog)
  if (allow === undefined || typeof allow === "function") return unknown
  if (!Array.isArray(allow)) return ['allow must be an array of names or a function; write allow: ["create_hold"]']
  return [...unknown, ...allow.flatMap((name: unknown) => unknownName(name, entries) ?? [])]
}

/** What the author's function throws of operations that it is asked about for the first time. */
const thrown = ({ options }: CatalogEntry, { operations }: Entries): ReadonlyArray<string> =>
  typeof options?.allow !== "function"
    ? []
    : operations.flatMap(({ endpoint, promoted }) => {
        if (promoted) return []
        try {
          reaches(options, endpoint)
          return []
        } catch (error) {
          return [`allow threw for ${quoted(endpoint.name)}: ${String(error)}`]
        }
      })

/**
 * Every reason why the catalog of a server cannot be served.
 *
 * @param added those of the entries that were not checked before
 */
export const catalogErrors = (entries: Entries, added: Entries): ReadonlyArray<McpBuildError> => {
  const [catalog] = entries.catalogs
  if (catalog === undefined) return []
  const places = entries.catalogs.map(({ place }) => place)
  const once = `it is declared ${places.length} times (${places.join(", ")}): declare it once, on the server that is served`
  const reasons = [
    ...(places.length === 1 ? [] : [once]),
    ...added.catalogs.flatMap((one) => problemsOf(one, entries)),
    ...thrown(catalog, added)
  ]
  return reasons.map((why) => ({ _tag: "InvalidCatalog", why, place: catalog.place }))
}

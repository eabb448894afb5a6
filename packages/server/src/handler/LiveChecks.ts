/**
 * What of a change was ruled out when the server started, because clients were told then what it serves and what of that
 * changes. Pure.
 */
import { declaresTasks, tasksExtension, type ServerCapabilities } from "@treadle/protocol/schema"
import type { EntryKind, McpBuildError, Place } from "../McpBuildError.ts"
import type { ServerInfo } from "../ServerInfo.ts"
import type { Entries, OperationEntry } from "./Entry.ts"
import { entryKey } from "./EntryChange.ts"

type ListName = "tools" | "prompts" | "resources"

interface Touched {
  readonly kind: EntryKind | "extension"
  readonly list: ListName
  readonly name: string
  readonly place: Place
  /** Whether it proposes values for an argument. */
  readonly completes: boolean
}

/** Whether values are proposed for any argument (COMP-01). */
export const proposes = ({ definition }: { readonly definition: { readonly complete?: object } }): boolean =>
  Object.keys(definition.complete ?? {}).length > 0

/** Whether calls of an operation may become tasks, where it is served with these: it is a tool, or a catalog runs it. */
export const mayBecomeTask = (
  { promoted, settings }: OperationEntry,
  { catalogs }: Pick<Entries, "catalogs">
): boolean => settings.task !== undefined && (promoted || catalogs.length > 0)

const touched = ({ operations, prompts, resources, templates }: Entries): ReadonlyArray<Touched> => [
  ...operations.map((entry) => ({
    kind: entry.promoted ? ("tool" as const) : ("operation" as const),
    list: "tools" as const,
    name: entryKey.operations(entry),
    place: entry.place,
    completes: false
  })),
  ...resources.map(({ definition, place }) => ({
    kind: "resource" as const,
    list: "resources" as const,
    name: String(definition.uri),
    place,
    completes: false
  })),
  ...templates.map((entry) => ({
    kind: "template" as const,
    list: "resources" as const,
    name: entryKey.templates(entry),
    place: entry.place,
    completes: proposes(entry)
  })),
  ...prompts.map((entry) => ({
    kind: "prompt" as const,
    list: "prompts" as const,
    name: entryKey.prompts(entry),
    place: entry.place,
    completes: proposes(entry)
  }))
]

/** Why an entry cannot come or go. */
const obstacle = (
  { completes, kind, list }: Touched,
  capabilities: ServerCapabilities,
  { live, place }: ServerInfo
): string | undefined => {
  if (live[list] === false) {
    return `clients were told that the list of ${list} does not change, because live.${list} is false (${place}): leave that out`
  }
  if (capabilities[list] === undefined && kind !== "operation") {
    return `clients were told that there are no ${list}, because there were none at the start: set live.${list} to true (${place})`
  }
  return completes && capabilities.completions === undefined
    ? `clients were told that nothing is completed, because nothing was at the start: set live.${list} to true (${place})`
    : undefined
}

/** The reasons why entries cannot come whose calls could become tasks. @param next what is served with them */
export const liveTaskErrors = (
  added: Entries,
  next: Entries,
  capabilities: ServerCapabilities,
  { place }: ServerInfo
): ReadonlyArray<McpBuildError> =>
  declaresTasks(capabilities)
    ? []
    : added.operations
        .filter((one) => mayBecomeTask(one, next))
        .map((one) => ({
          _tag: "NotLive",
          kind: one.promoted ? "tool" : "operation",
          name: entryKey.operations(one),
          why: `clients were told that there are no tasks, because no tool had any at the start: declare extension("${tasksExtension}") where the server is made (${place})`,
          place: one.place
        }))

/** The reasons why entries cannot come or go, each with the place where the entry was defined. */
export const liveErrors = (
  entries: Entries,
  capabilities: ServerCapabilities,
  info: ServerInfo
): ReadonlyArray<McpBuildError> => [
  ...touched(entries).flatMap((one): ReadonlyArray<McpBuildError> => {
    const why = obstacle(one, capabilities, info)
    return why === undefined ? [] : [{ _tag: "NotLive", kind: one.kind, name: one.name, why, place: one.place }]
  }),
  ...entries.catalogs.map(({ place }): McpBuildError => ({
    _tag: "InvalidCatalog",
    why: `it is there from the start or not at all: declare it where the server is made (${info.place})`,
    place
  })),
  ...entries.extensions.flatMap(({ id, place }): ReadonlyArray<McpBuildError> =>
    capabilities.extensions !== undefined && Object.hasOwn(capabilities.extensions, id)
      ? []
      : [
          {
            _tag: "NotLive",
            kind: "extension",
            name: id,
            why: `clients were told of the extensions that there are: declare it where the server is made (${info.place})`,
            place
          }
        ]
  )
]

/**
 * Everything that keeps a definition from being served, found in one pass. Pure.
 */
import * as Result from "effect/Result"
import type { ShapeFault } from "@treadle/protocol/endpoint"
import { ExtensionId, ToolName } from "@treadle/protocol/schema"
import type { McpBuildError, Place } from "../McpBuildError.ts"
import type { ServerInfo } from "../ServerInfo.ts"
import { catalogErrors } from "./CatalogChecks.ts"
import { catalogNames } from "./CatalogTools.ts"
import type { Entries, OperationEntry } from "./Entry.ts"
import { entryKey } from "./EntryChange.ts"
import {
  hintProblems,
  isSaid,
  promptErrors,
  resourceErrors,
  scopeProblems,
  templateErrors,
  timeoutProblems
} from "./EntryChecks.ts"
import { settingNames, unknownSettings } from "./SettingNames.ts"
import { taskProblems } from "./TaskSettings.ts"

interface Subject {
  readonly tool: string
  readonly kind?: "operation"
  readonly place: Place
}

const subjectOf = ({ endpoint, place, promoted }: OperationEntry): Subject => ({
  tool: endpoint.name,
  ...(promoted ? {} : { kind: "operation" }),
  place
})

const shapeError = (subject: Subject, fault: ShapeFault): McpBuildError => {
  switch (fault._tag) {
    case "NotPromotable": {
      const { cure, message } = fault
      return { _tag: "NotPromotable", ...subject, why: message, ...(cure === undefined ? {} : { cure }) }
    }
    case "UnrepresentableSchema": {
      const { finding, part } = fault
      return { _tag: "UnrepresentableSchema", ...subject, part, path: finding.path, why: finding.message }
    }
    case "InvalidHeaderAnnotation":
      return { _tag: "InvalidHeaderAnnotation", ...subject, why: fault.message }
    case "AmbiguousErrors":
      return { _tag: "AmbiguousErrors", ...subject, tag: fault.tag }
  }
}

/** The faults of a definition; one that is not even of the right form is a fault too, and no reason to throw. */
const faultsOf = ({ endpoint }: OperationEntry): ReadonlyArray<ShapeFault> => {
  try {
    return endpoint.shape.faults
  } catch (error) {
    return [{ _tag: "NotPromotable", message: `the definition cannot be read: ${String(error)}` }]
  }
}

/** What is said of an operation that is not read; a shared contract cannot say what holds on one server only. */
const unread = ({ endpoint, settings }: OperationEntry): ReadonlyArray<string> => {
  const about: Partial<typeof endpoint.about> = endpoint.about ?? {}
  const misplaced = settingNames.tool.filter((name) => Object.hasOwn(about, name))
  return [
    ...misplaced.map((name) => `${name}: a contract does not say this; give it as toolWith(contract, { ${name} }, …)`),
    ...unknownSettings(about, [...settingNames.contract, ...settingNames.tool]),
    ...unknownSettings(about.hints, settingNames.hints, "hints."),
    ...unknownSettings(settings, settingNames.tool)
  ]
}

/** What the types forbid, and plain JavaScript does not. */
const missing = (entry: OperationEntry): ReadonlyArray<McpBuildError> => {
  const { endpoint, handler, place, promoted, settings } = entry
  const reasons: ReadonlyArray<readonly [boolean, string]> = [
    [typeof handler === "function", `it has no handler; pass a function${promoted ? "" : ", and options after it"}`],
    [isSaid(endpoint.about?.description), "it has no description; a model chooses a tool by it"]
  ]
  const unmet = reasons.flatMap(([ok, why]) => (ok ? [] : [why]))
  const problems = [
    ...unmet,
    ...unread(entry),
    ...scopeProblems(settings.scopes),
    ...timeoutProblems(settings.timeout),
    ...taskProblems(settings.task)
  ]
  return problems.map((why) => ({
    _tag: "InvalidDefinition",
    kind: promoted ? "tool" : "operation",
    name: String(endpoint.name),
    why,
    place
  }))
}

const operationErrors = (entry: OperationEntry): ReadonlyArray<McpBuildError> => {
  const subject = subjectOf(entry)
  const name = ToolName.from(String(entry.endpoint.name))
  return [
    ...(Result.isFailure(name) ? [{ _tag: "InvalidToolName", ...subject, rule: name.failure } as const] : []),
    ...missing(entry),
    ...faultsOf(entry).map((fault) => shapeError(subject, fault))
  ]
}

type Named = ReadonlyArray<{ readonly name: string; readonly place: Place; readonly served: boolean }>

interface Repeated {
  readonly name: string
  readonly places: ReadonlyArray<Place>
  readonly place: Place
  readonly served?: true
}

/** The names that occur more than once, each with all of its places and the last one apart. */
const repeated = (named: Named): ReadonlyArray<Repeated> => {
  const byName = new Map<string, Array<Named[number]>>()
  for (const one of named) {
    const known = byName.get(one.name)
    if (known === undefined) byName.set(one.name, [one])
    else known.push(one)
  }
  return [...byName].flatMap(([name, all]): ReadonlyArray<Repeated> => {
    if (all.length === 1) return []
    const places = all.map(({ place }) => place)
    const served = all.some((one) => one.served)
    return [{ name, places, place: places.at(-1) ?? "", ...(served ? { served } : {}) }]
  })
}

const named = <E extends { readonly place: Place }>(
  entries: ReadonlyArray<E>,
  added: ReadonlyArray<E>,
  nameOf: (entry: E) => string
): Named => {
  const fresh = new Set(added)
  return entries.map((entry) => ({ name: nameOf(entry), place: entry.place, served: !fresh.has(entry) }))
}

/** The tools of a catalog take their names as other tools do. */
const catalogPair = ({ catalogs: [catalog] }: Entries, added: Entries): Named =>
  catalog === undefined
    ? []
    : Object.values(catalogNames).map((name) => ({
        name,
        place: catalog.place,
        served: !added.catalogs.includes(catalog)
      }))

const operationDuplicates = (entries: Entries, added: Entries): ReadonlyArray<McpBuildError> => {
  const { operations } = entries
  const pair = catalogPair(entries, added)
  const ofCatalog = new Set(pair.map(({ name }) => name))
  const tools = new Set(operations.filter(({ promoted }) => promoted).map(entryKey.operations))
  return repeated([...named(operations, added.operations, entryKey.operations), ...pair]).map(({ name, ...rest }) => ({
    _tag: "DuplicateTool",
    tool: name,
    ...(tools.has(name) ? {} : { kind: "operation" }),
    ...(ofCatalog.has(name) ? { catalog: true } : {}),
    ...rest
  }))
}

const resourceDuplicates = ({ resources, templates }: Entries, added: Entries): ReadonlyArray<McpBuildError> => {
  const ofTemplates = named(templates, added.templates, entryKey.templates)
  const texts = new Set(ofTemplates.map(({ name }) => name))
  return repeated([...named(resources, added.resources, entryKey.resources), ...ofTemplates]).map(
    ({ name, ...rest }) => ({
      _tag: "DuplicateResource",
      kind: texts.has(name) ? "template" : "resource",
      resource: name,
      ...rest
    })
  )
}

const promptDuplicates = ({ prompts }: Entries, added: Entries): ReadonlyArray<McpBuildError> =>
  repeated(named(prompts, added.prompts, entryKey.prompts)).map(({ name, ...rest }) => ({
    _tag: "DuplicatePrompt",
    prompt: name,
    ...rest
  }))

const extensionErrors = ({ extensions }: Entries): ReadonlyArray<McpBuildError> => [
  ...extensions.flatMap(({ id, place }): ReadonlyArray<McpBuildError> => {
    const checked = ExtensionId.from(id)
    return Result.isFailure(checked) ? [{ _tag: "InvalidExtensionId", rule: checked.failure, place }] : []
  }),
  ...repeated(extensions.map(({ id, place }) => ({ name: id, place, served: false }))).map(
    ({ name, place, places }): McpBuildError => ({ _tag: "DuplicateExtension", extension: name, places, place })
  )
]

const serverErrors = ({ cache, implementation, live, place }: ServerInfo): ReadonlyArray<McpBuildError> => {
  const { name, version } = implementation
  const problems = [
    ...(isSaid(name) ? [] : ["it has no name; give it one, such as the name of its package"]),
    ...(isSaid(version) ? [] : ["it has no version; give it one, such as the version of its package"]),
    ...unknownSettings(implementation, settingNames.info),
    ...unknownSettings(live, settingNames.live, "live."),
    ...unknownSettings(cache, settingNames.lists, "cache."),
    ...Object.values(cache).flatMap(hintProblems)
  ]
  return problems.map((why) => ({ _tag: "InvalidDefinition", kind: "server", name: String(name), why, place }))
}

/**
 * Every reason why a definition cannot be served, in the order of definition; empty when it can.
 *
 * @param added those of the entries that were not checked before
 */
export const buildErrors = (
  entries: Entries,
  info: ServerInfo,
  added: Entries = entries
): ReadonlyArray<McpBuildError> => [
  ...serverErrors(info),
  ...added.operations.flatMap(operationErrors),
  ...operationDuplicates(entries, added),
  ...added.resources.flatMap(resourceErrors),
  ...added.templates.flatMap(templateErrors),
  ...resourceDuplicates(entries, added),
  ...added.prompts.flatMap(promptErrors),
  ...promptDuplicates(entries, added),
  ...extensionErrors(entries),
  ...catalogErrors(entries, added)
]

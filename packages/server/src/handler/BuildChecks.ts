/**
 * Everything that keeps a definition from being served, found in one pass. Pure.
 */
import * as Result from "effect/Result"
import type { ShapeFault } from "@treadle/protocol/endpoint"
import { ExtensionId, ToolName } from "@treadle/protocol/schema"
import type { McpBuildError, Place } from "../McpBuildError.ts"
import type { ServerInfo } from "../ServerInfo.ts"
import type { Entries, ToolEntry } from "./Entry.ts"
import { hintProblems, promptErrors, resourceErrors, templateErrors } from "./EntryChecks.ts"
import { canonicalUri } from "./ResourceUri.ts"

const shapeError = (tool: string, place: Place, fault: ShapeFault): McpBuildError => {
  switch (fault._tag) {
    case "NotPromotable":
      return { _tag: "NotPromotable", tool, place, why: fault.message }
    case "UnrepresentableSchema":
      return {
        _tag: "UnrepresentableSchema",
        tool,
        place,
        part: fault.part,
        path: fault.finding.path,
        why: fault.finding.message
      }
    case "InvalidHeaderAnnotation":
      return { _tag: "InvalidHeaderAnnotation", tool, place, why: fault.message }
    case "AmbiguousErrors":
      return { _tag: "AmbiguousErrors", tool, place, tag: fault.tag }
  }
}

/** The faults of a definition; one that is not even of the right form is a fault too, and no reason to throw. */
const faultsOf = ({ endpoint }: ToolEntry): ReadonlyArray<ShapeFault> => {
  try {
    return endpoint.shape.faults
  } catch (error) {
    return [{ _tag: "NotPromotable", message: `the definition cannot be read: ${String(error)}` }]
  }
}

/** What the types forbid, and plain JavaScript does not. */
const missing = ({ endpoint, handler, place }: ToolEntry): ReadonlyArray<McpBuildError> => {
  const reasons: ReadonlyArray<readonly [boolean, string]> = [
    [typeof handler === "function", "it has no handler; pass a function"],
    [typeof endpoint.about?.description === "string", "it has no description; a model chooses a tool by it"]
  ]
  return reasons.flatMap(([ok, why]): ReadonlyArray<McpBuildError> =>
    ok ? [] : [{ _tag: "InvalidDefinition", kind: "tool", name: String(endpoint.name), why, place }]
  )
}

const toolErrors = (entry: ToolEntry): ReadonlyArray<McpBuildError> => {
  const { endpoint, place } = entry
  const name = ToolName.from(String(endpoint.name))
  const invalid: ReadonlyArray<McpBuildError> = Result.isFailure(name)
    ? [{ _tag: "InvalidToolName", tool: endpoint.name, rule: name.failure, place }]
    : []
  return [...invalid, ...missing(entry), ...faultsOf(entry).map((fault) => shapeError(endpoint.name, place, fault))]
}

type Named = ReadonlyArray<{ readonly name: string; readonly place: Place }>

/** The names that occur more than once, each with all of its places and the last one apart. */
const repeated = (
  named: Named
): ReadonlyArray<{ readonly name: string; readonly places: ReadonlyArray<Place>; readonly place: Place }> => {
  const places = new Map<string, Array<Place>>()
  for (const { name, place } of named) {
    const known = places.get(name)
    if (known === undefined) places.set(name, [place])
    else known.push(place)
  }
  return [...places].flatMap(([name, all]) => (all.length > 1 ? [{ name, places: all, place: all.at(-1) ?? "" }] : []))
}

/** Equal URIs are one, however they are written. */
const uris = ({ resources, templates }: Entries): Named => [
  ...resources.map(({ definition: { uri }, place }) => ({ name: canonicalUri(String(uri)) ?? String(uri), place })),
  ...templates.map(({ definition, place }) => ({ name: String(definition.uriTemplate), place }))
]

const extensionErrors = ({ extensions }: Entries): ReadonlyArray<McpBuildError> => [
  ...extensions.flatMap(({ id, place }): ReadonlyArray<McpBuildError> => {
    const checked = ExtensionId.from(id)
    return Result.isFailure(checked) ? [{ _tag: "InvalidExtensionId", rule: checked.failure, place }] : []
  }),
  ...repeated(extensions.map(({ id, place }) => ({ name: id, place }))).map(({ name, ...rest }): McpBuildError => ({
    _tag: "DuplicateExtension",
    extension: name,
    ...rest
  }))
]

const serverErrors = ({ cache, implementation, place }: ServerInfo): ReadonlyArray<McpBuildError> =>
  Object.values(cache).flatMap((hint) =>
    hintProblems(hint).map((why): McpBuildError => ({
      _tag: "InvalidDefinition",
      kind: "server",
      name: implementation.name,
      why,
      place
    }))
  )

/** Every reason why a definition cannot be served, in the order of definition; empty when it can. */
export const buildErrors = (entries: Entries, info: ServerInfo): ReadonlyArray<McpBuildError> => [
  ...serverErrors(info),
  ...entries.tools.flatMap(toolErrors),
  ...repeated(entries.tools.map(({ endpoint, place }) => ({ name: endpoint.name, place }))).map(
    ({ name, ...rest }): McpBuildError => ({ _tag: "DuplicateTool", tool: name, ...rest })
  ),
  ...entries.resources.flatMap(resourceErrors),
  ...entries.templates.flatMap(templateErrors),
  ...repeated(uris(entries)).map(({ name, ...rest }): McpBuildError => ({
    _tag: "DuplicateResource",
    resource: name,
    ...rest
  })),
  ...entries.prompts.flatMap(promptErrors),
  ...repeated(entries.prompts.map(({ name, place }) => ({ name: String(name), place }))).map(
    ({ name, ...rest }): McpBuildError => ({ _tag: "DuplicatePrompt", prompt: name, ...rest })
  ),
  ...extensionErrors(entries)
]

/**
 * What the builder collects: data about operations, resources, prompts and extensions, the place where each was added,
 * and the layers that were provided to it. Nothing here is checked yet.
 */
import type * as Layer from "effect/Layer"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import type { JsonObject } from "@treadle/protocol/json"
import type { Place } from "../McpBuildError.ts"
import type { CatalogOptions } from "../CatalogOptions.ts"
import type { ResourceDefinition } from "../ResourceDefinition.ts"
import type { AnyHandler } from "./Invocation.ts"
import type { ToolSettings } from "./OperationTool.ts"
import type { AnyPromptDefinition } from "./PromptHandler.ts"
import type { AnyReader } from "./ResourceHandler.ts"
import type { AnyTemplateDefinition, AnyTemplateReader } from "./TemplateHandler.ts"

/** A layer whose types are forgotten; the builder's own type keeps them. */
export type AnyLayer = Layer.Layer<never, unknown, unknown>

/** What every entry with a function has. */
export interface Added {
  readonly place: Place
  /** Innermost first. */
  readonly layers: ReadonlyArray<AnyLayer>
}

/** An endpoint with its function. */
export interface OperationEntry extends Added {
  readonly endpoint: AnyEndpoint
  readonly handler: AnyHandler
  readonly settings: ToolSettings
  /** Whether it is a tool: listed, and called by its name. */
  readonly promoted: boolean
}

export interface ResourceEntry extends Added {
  readonly definition: ResourceDefinition<never>
  readonly read: AnyReader
  readonly refuse?: AnyReader | undefined
}

export interface TemplateEntry extends Added {
  readonly definition: AnyTemplateDefinition
  readonly read: AnyTemplateReader
  readonly refuse?: AnyTemplateReader | undefined
}

export interface PromptEntry extends Added {
  readonly name: string
  readonly definition: AnyPromptDefinition
  readonly handler: AnyHandler
}

export interface ExtensionEntry {
  readonly id: string
  readonly settings: JsonObject
  readonly place: Place
}

/** The catalog of a server; it has one at the most. */
export interface CatalogEntry {
  readonly options: CatalogOptions
  readonly place: Place
}

export interface Entries {
  /** Tools, and those that are none, in the order of definition. */
  readonly operations: ReadonlyArray<OperationEntry>
  readonly resources: ReadonlyArray<ResourceEntry>
  readonly templates: ReadonlyArray<TemplateEntry>
  readonly prompts: ReadonlyArray<PromptEntry>
  readonly extensions: ReadonlyArray<ExtensionEntry>
  readonly catalogs: ReadonlyArray<CatalogEntry>
}

/** Nothing yet. */
export const noEntries: Entries = {
  operations: [],
  resources: [],
  templates: [],
  prompts: [],
  extensions: [],
  catalogs: []
}

/** The entries of both, in order. */
export const joined = (left: Entries, right: Partial<Entries>): Entries => ({
  operations: [...left.operations, ...(right.operations ?? [])],
  resources: [...left.resources, ...(right.resources ?? [])],
  templates: [...left.templates, ...(right.templates ?? [])],
  prompts: [...left.prompts, ...(right.prompts ?? [])],
  extensions: [...left.extensions, ...(right.extensions ?? [])],
  catalogs: [...left.catalogs, ...(right.catalogs ?? [])]
})

/** The same entries, each with one more layer round those that it has. */
export const layered = (
  { operations, prompts, resources, templates, ...others }: Entries,
  layer: AnyLayer
): Entries => {
  const around = <E extends Added>(entry: E): E => ({ ...entry, layers: [...entry.layers, layer] })
  return {
    operations: operations.map(around),
    resources: resources.map(around),
    templates: templates.map(around),
    prompts: prompts.map(around),
    ...others
  }
}

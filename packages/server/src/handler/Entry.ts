/**
 * What the builder collects: data about tools and extensions, the place where each was added, and the layers that were
 * provided to it. Nothing here is checked yet.
 */
import type * as Layer from "effect/Layer"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import type { JsonObject } from "@treadle/protocol/json"
import type { Place } from "../McpBuildError.ts"
import type { AnyHandler, ToolSettings } from "./OperationTool.ts"

/** A layer whose types are forgotten; the builder's own type keeps them. */
export type AnyLayer = Layer.Layer<never, unknown, unknown>

export interface ToolEntry {
  readonly endpoint: AnyEndpoint
  readonly handler: AnyHandler
  readonly settings: ToolSettings
  readonly place: Place
  /** Innermost first. */
  readonly layers: ReadonlyArray<AnyLayer>
}

export interface ExtensionEntry {
  readonly id: string
  readonly settings: JsonObject
  readonly place: Place
}

export interface Entries {
  readonly tools: ReadonlyArray<ToolEntry>
  readonly extensions: ReadonlyArray<ExtensionEntry>
}

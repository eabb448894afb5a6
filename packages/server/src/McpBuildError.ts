/**
 * Every reason why a definition cannot be served, each with the place of its definition or the name of its setting, and
 * the cure.
 */
import * as Data from "effect/Data"
import { NodeInspectSymbol } from "effect/Inspectable"

/**
 * Where something was added: `orders.ts:14`, or `unknown place` where the engine does not tell. Of a setting it is the
 * name of what is wrong, such as `limits.bodyBytes` or `origins[0]`.
 */
export type Place = string

/** What something was added as. */
export type EntryKind = "tool" | "operation" | "resource" | "template" | "prompt" | "server"

/** An operation that is no tool is said to be one; anything else is a tool. */
interface OfOperation {
  readonly tool: string
  readonly kind?: "operation"
}

/** One reason. `describeBuildError` says it in a sentence. */
export type McpBuildError =
  | ({ readonly _tag: "InvalidToolName"; readonly rule: string; readonly place: Place } & OfOperation)
  | ({
      readonly _tag: "DuplicateTool"
      readonly places: ReadonlyArray<Place>
      readonly place: Place
      /** Whether one of them was served already when the others were added. */
      readonly served?: true
      /** Whether one of them is a tool of the catalog. */
      readonly catalog?: true
    } & OfOperation)
  | {
      readonly _tag: "InvalidDefinition"
      readonly kind: EntryKind
      readonly name: string
      readonly why: string
      readonly place: Place
    }
  | ({
      readonly _tag: "NotPromotable"
      readonly why: string
      readonly cure?: string
      readonly place: Place
    } & OfOperation)
  | ({
      readonly _tag: "UnrepresentableSchema"
      readonly part: string
      readonly path: string
      readonly why: string
      readonly place: Place
    } & OfOperation)
  | ({ readonly _tag: "InvalidHeaderAnnotation"; readonly why: string; readonly place: Place } & OfOperation)
  | ({ readonly _tag: "AmbiguousErrors"; readonly tag: string; readonly place: Place } & OfOperation)
  | ({
      readonly _tag: "InvalidRoute"
      readonly route: string
      readonly why: string
      readonly place: Place
    } & OfOperation)
  | {
      /** Two operations that the same requests would reach. */
      readonly _tag: "DuplicateRoute"
      readonly route: string
      readonly tools: ReadonlyArray<string>
      readonly places: ReadonlyArray<Place>
      readonly place: Place
    }
  | { readonly _tag: "InvalidUri"; readonly uri: string; readonly rule: string; readonly place: Place }
  | { readonly _tag: "InvalidTemplate"; readonly template: string; readonly rule: string; readonly place: Place }
  | {
      readonly _tag: "DuplicateResource"
      readonly kind: "resource" | "template"
      /** The URI, or the template. */
      readonly resource: string
      readonly places: ReadonlyArray<Place>
      readonly place: Place
      /** Whether one of them was served already when the others were added. */
      readonly served?: true
    }
  | {
      readonly _tag: "DuplicatePrompt"
      readonly prompt: string
      readonly places: ReadonlyArray<Place>
      readonly place: Place
      /** Whether one of them was served already when the others were added. */
      readonly served?: true
    }
  | {
      readonly _tag: "UnknownCompletion"
      readonly kind: "template" | "prompt"
      readonly name: string
      readonly argument: string
      /** The arguments that there are. */
      readonly known: ReadonlyArray<string>
      readonly place: Place
    }
  | { readonly _tag: "InvalidCatalog"; readonly why: string; readonly place: Place }
  | { readonly _tag: "InvalidExtensionId"; readonly rule: string; readonly place: Place }
  | {
      readonly _tag: "DuplicateExtension"
      readonly extension: string
      readonly places: ReadonlyArray<Place>
      readonly place: Place
    }
  | {
      /** A change of what clients were told does not change, or is not there. */
      readonly _tag: "NotLive"
      readonly kind: EntryKind | "extension"
      readonly name: string
      readonly why: string
      readonly place: Place
    }
  | {
      /** A setting of the door could not work. The door is made where the error comes from. */
      readonly _tag: "InvalidSetting"
      readonly setting: string
      readonly why: string
      readonly place: Place
    }

const quoted = (name: string): string => JSON.stringify(name)

const called = ({ kind, tool }: OfOperation): string => `${kind ?? "tool"} ${quoted(tool)}`

const repetition = ({ places }: { readonly places: ReadonlyArray<Place> }): string =>
  `is added ${places.length} times (${places.join(", ")})`

const orReplace = ({ served }: { readonly served?: true }): string => (served ? ", or use live.replace" : "")

/** One reason in a sentence: what, where and what to do. */
export const describe = (error: McpBuildError): string => {
  switch (error._tag) {
    case "InvalidToolName":
      return `${called(error)} (${error.place}): ${error.rule}. Rename it.`
    case "DuplicateTool":
      return error.catalog
        ? `${called(error)} ${repetition(error)}, once by catalog(…). Rename what is not of the catalog, or leave catalog(…) out.`
        : `${called(error)} ${repetition(error)}. Rename all but one${orReplace(error)}.`
    case "InvalidDefinition":
      return `${error.kind} ${quoted(error.name)} (${error.place}): ${error.why}.`
    case "NotPromotable":
      return `${called(error)} (${error.place}): ${error.why}. ${error.cure ?? "Describe the input as fields or an object schema"}.`
    case "UnrepresentableSchema": {
      const member = error.path === "" ? "" : ` ${quoted(error.path)}`
      return `${called(error)} (${error.place}), ${error.part}${member}: ${error.why}.`
    }
    case "InvalidHeaderAnnotation":
      return `${called(error)} (${error.place}), x-mcp-header at ${error.why}.`
    case "AmbiguousErrors":
      return `${called(error)} (${error.place}) declares two errors with the tag ${quoted(error.tag)}. Give each its own _tag.`
    case "InvalidRoute":
      return `${called(error)} (${error.place}), route ${quoted(error.route)}: ${error.why}.`
    case "DuplicateRoute": {
      const names = error.tools.map((name, at) => `${quoted(name)} (${error.places[at] ?? error.place})`)
      return `route ${quoted(error.route)} is that of ${names.join(" and ")}. Give each its own path or verb.`
    }
    case "InvalidUri":
      return `resource ${quoted(error.uri)} (${error.place}): ${error.rule}.`
    case "InvalidTemplate":
      return `template ${quoted(error.template)} (${error.place}): ${error.rule}.`
    case "DuplicateResource":
      return `${error.kind} ${quoted(error.resource)} ${repetition(error)}. Give each its own URI${orReplace(error)}.`
    case "DuplicatePrompt":
      return `prompt ${quoted(error.prompt)} ${repetition(error)}. Rename all but one${orReplace(error)}.`
    case "UnknownCompletion": {
      const known = error.known.length === 0 ? "no arguments" : error.known.map(quoted).join(", ")
      return `${error.kind} ${quoted(error.name)} (${error.place}) completes ${quoted(error.argument)}, and has ${known}. Complete what it has.`
    }
    case "InvalidCatalog":
      return `catalog (${error.place}): ${error.why}.`
    case "InvalidExtensionId":
      return `extension (${error.place}): ${error.rule}.`
    case "DuplicateExtension":
      return `extension ${quoted(error.extension)} is declared ${error.places.length} times (${error.places.join(", ")}). Declare it once.`
    case "NotLive":
      return `${error.kind} ${quoted(error.name)} (${error.place}): ${error.why}.`
    case "InvalidSetting":
      return `${error.place}: ${error.why}.`
  }
}

/** The same reasons, which are printed, and become text, as their sentences. As data and as JSON they are what they were. */
export const readable = (errors: ReadonlyArray<McpBuildError>): ReadonlyArray<McpBuildError> =>
  errors.map((error) => {
    const sentence = { value: () => describe(error) }
    return Object.defineProperties({ ...error }, { toString: sentence, [NodeInspectSymbol]: sentence })
  })

interface Unbuildable {
  readonly server: string
  readonly errors: ReadonlyArray<McpBuildError>
  /** What could not be done: `built`, where nothing is said. */
  readonly undone?: "built" | "changed"
}

/** All reasons at once. Plain doors throw it before they listen; Effect doors fail with it. */
export class McpBuildErrors extends Data.TaggedError("McpBuildErrors")<Unbuildable> {
  constructor(facts: Unbuildable) {
    super({ ...facts, errors: readable(facts.errors) })
  }

  override get message(): string {
    const count = this.errors.length === 1 ? "1 reason" : `${this.errors.length} reasons`
    const lines = this.errors.map((error, index) => `  ${index + 1}. ${describe(error)}`)
    return [`MCP server ${quoted(this.server)} cannot be ${this.undone ?? "built"}, for ${count}:`, ...lines].join("\n")
  }

  override [NodeInspectSymbol](): string {
    return this.stack ?? String(this)
  }
}

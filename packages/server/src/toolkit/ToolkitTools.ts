/**
 * The tools of a `Toolkit` of `effect/ai` as tools of a server. Nothing is written a second time: schemas, annotations and
 * handlers are those of the toolkit, whose own layer is provided.
 */
import type * as Toolkit from "effect/ai/Toolkit"
import { noEntries, type OperationEntry } from "../handler/Entry.ts"
import { placeBelow } from "../handler/Place.ts"
import { Mcp } from "../Mcp.ts"
import type { ToolOptions } from "../ToolOptions.ts"
import { toolContract } from "./ToolContract.ts"
import { toolkitHandler } from "./ToolkitHandler.ts"
import type { AnyTools, ToolkitContracts, ToolkitNeeds } from "./ToolkitTypes.ts"

/** A toolkit as a part of a server, and the contracts that clients call its tools by. */
export interface ToolkitPart<Tools extends AnyTools> {
  /** Add it to a server. It needs the handlers of the toolkit: `mcp.provide(toolkit.toLayer({ … }))`. */
  readonly mcp: Mcp<ToolkitNeeds<Tools>>
  /** The contract of each tool: `session.call(part.contract.search)`. */
  readonly contract: ToolkitContracts<Tools>
}

/** What is said of single tools for one server, beside what the toolkit says. */
export type ToolkitSettings<Tools extends AnyTools> = {
  readonly [Name in keyof Tools]?: Pick<ToolOptions<{}>, "scopes" | "timeout" | "once">
}

const entryOf = (
  tool: AnyTools[string],
  settings: ToolkitSettings<AnyTools>,
  place: ReturnType<typeof placeBelow>
): OperationEntry => {
  const { scopes, timeout, once } = settings[tool.name] ?? {}
  const endpoint = toolContract(tool)
  const handler = endpoint.shape.faults.length === 0 ? toolkitHandler(tool) : () => undefined
  return { endpoint, handler, place, layers: [], promoted: true, settings: { scopes, timeout, once } }
}

/**
 * Makes tools of a toolkit.
 *
 * Annotations (`Tool.Title`, `Tool.Readonly`, `Tool.Destructive`, `Tool.Idempotent`, `Tool.OpenWorld`, `Tool.Meta`) are
 * sent where the author has set them. What a handler fails with is a declared error, in either failure mode; a failure
 * that is no object is text for the model. An `AiError` is a defect, and in the mode `"return"` text for the model. A
 * tool that `needsApproval` asks a person through the client before its handler runs, and does not run where nobody can
 * be asked. Preliminary results are progress. What `toModelOutput` makes follows the value as content.
 *
 * Tools that a provider defines, and dynamic ones whose JSON Schema Effect cannot check, are errors of the build,
 * `NotPromotable`.
 *
 * @param toolkit what `Toolkit.make` gave
 * @param settings `scopes`, `timeout` and `once` of single tools, by their names
 *
 * @example
 * ```ts
 * import { Mcp } from "@treadle/server"
 * import { ToolkitTools } from "@treadle/server/toolkit"
 * import * as Tool from "effect/ai/Tool"
 * import * as Toolkit from "effect/ai/Toolkit"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const toolkit = Toolkit.make(
 *   Tool.make("double", {
 *     description: "Twice a number",
 *     parameters: Schema.Struct({ n: Schema.Int }),
 *     success: Schema.Int
 *   })
 * )
 * const tools = ToolkitTools.make(toolkit)
 * const handlers = toolkit.toLayer({ double: ({ n }) => Effect.succeed(2 * n) })
 *
 * const mcp: Mcp<never> = Mcp.make({ name: "sums", version: "1.0.0" }).add(tools.mcp.provide(handlers))
 * Mcp.check(mcp) // => []
 * ```
 */
const make = <Tools extends AnyTools>(
  toolkit: Toolkit.Toolkit<Tools>,
  settings: ToolkitSettings<Tools> = {}
): ToolkitPart<Tools> => {
  const place = placeBelow(make)
  const tools = Object.values(toolkit.tools).map((tool) => entryOf(tool, settings as ToolkitSettings<AnyTools>, place))
  const part = { definition: { entries: { ...noEntries, operations: tools } } }
  return {
    mcp: Mcp.make({ name: "toolkit", version: "1.0.0" }).add(part as unknown as Mcp<ToolkitNeeds<Tools>>),
    contract: Object.fromEntries(
      tools.map(({ endpoint }) => [endpoint.name, endpoint])
    ) as unknown as ToolkitContracts<Tools>
  }
}

/** Makes tools of a `Toolkit` of `effect/ai`. */
export const ToolkitTools = { make }

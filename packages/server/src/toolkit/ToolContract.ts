/**
 * A tool of a toolkit as a contract: its schemas, what its annotations say, and why it cannot be served, where it cannot.
 */
import * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { endpointOf, toolShape, type AnyEndpoint, type Hints } from "@treadle/protocol/endpoint"
import { isRecord, objectRoot, printSchema } from "@treadle/protocol/json"
import type { Meta } from "@treadle/protocol/schema"
import { anyArguments, dynamicInput } from "./DynamicInput.ts"

interface Obstacle {
  readonly message: string
  readonly cure: string
}

/** Annotations have defaults; only what the author has said is a hint. */
const saidBy = ({ annotations }: Tool.Any, key: Context.Key<never, boolean>): boolean | undefined =>
  annotations.mapUnsafe.has(key.key) ? Context.get(annotations, key) : undefined

const hintsOf = (tool: Tool.Any): Hints => {
  const readOnly = saidBy(tool, Tool.Readonly)
  const destructive = saidBy(tool, Tool.Destructive)
  const idempotent = saidBy(tool, Tool.Idempotent)
  const openWorld = saidBy(tool, Tool.OpenWorld)
  return {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(openWorld === undefined ? {} : { openWorld })
  }
}

const isEmptyParams = ({ ast }: Schema.Top): boolean =>
  ast._tag === "Objects" &&
  ast.propertySignatures.length === 0 &&
  ast.indexSignatures.every(({ type }) => type._tag === "Never")

/** What `input` of the contract is, or why there is none. */
const inputOf = (tool: Tool.Any): Result.Result<unknown, Obstacle> => {
  if (Tool.isDynamic(tool) && tool.jsonSchema !== undefined) {
    return Result.mapError(dynamicInput(tool.jsonSchema), (why) => ({
      message: `its JSON Schema says what cannot be checked (${why})`,
      cure: "Write its parameters as an Effect Schema"
    }))
  }
  const schema: Schema.Top = tool.parametersSchema
  if (schema.ast._tag === "Unknown") return Result.succeed(anyArguments)
  return Result.succeed(isEmptyParams(schema) ? undefined : schema)
}

/** Whether values of a schema are shown as text only: nothing, or anything. */
const isText = ({ ast }: Schema.Top): boolean =>
  ast._tag === "Void" || ast._tag === "Undefined" || ast._tag === "Unknown" || ast._tag === "Any"

/** Each failure of its own, where a union says several. */
const membersOf = (schema: Schema.Top): ReadonlyArray<Schema.Top> => {
  const { members } = schema as { readonly members?: unknown }
  return schema.ast._tag === "Union" && Array.isArray(members) ? members : [schema]
}

const isObject = (schema: Schema.Top): boolean => {
  try {
    return objectRoot(printSchema(schema)) !== undefined
  } catch {
    // The check of the build says why it cannot be printed.
    return true
  }
}

/** Whether failures have a form that structured content admits; others are text for the model. */
export const declaresErrors = ({ failureSchema }: Tool.Any): boolean =>
  failureSchema.ast._tag !== "Never" && membersOf(failureSchema).every(isObject)

const unpromotable = (tool: Tool.Any, description: string, obstacle: Obstacle): AnyEndpoint => ({
  name: tool.name,
  def: {},
  about: { description },
  shape: { ...toolShape({}), faults: [{ _tag: "NotPromotable", ...obstacle }] }
})

/** The contract of a tool; one that cannot be served has a fault, which the build reports. */
export const toolContract = (tool: Tool.Any): AnyEndpoint => {
  const description = Tool.getDescription(tool) ?? ""
  if (Tool.isProviderDefined(tool)) {
    return unpromotable(tool, description || tool.name, {
      message: `the provider of a model defines and knows it as ${JSON.stringify(tool.providerName)}`,
      cure: "Leave it out of the toolkit that is served, and make a tool of your own with Tool.make"
    })
  }
  const input = inputOf(tool)
  if (Result.isFailure(input)) return unpromotable(tool, description, input.failure)
  const title = Context.getOrUndefined(tool.annotations, Tool.Title)
  const meta = Context.getOrUndefined(tool.annotations, Tool.Meta)
  return endpointOf(tool.name, {
    description,
    input: input.success,
    hints: hintsOf(tool),
    ...(isText(tool.successSchema) ? {} : { output: tool.successSchema }),
    ...(declaresErrors(tool) ? { errors: tool.failureSchema } : {}),
    ...(title === undefined ? {} : { title }),
    // What an author has annotated is JSON as far as TypeScript can say.
    ...(isRecord(meta) ? { meta: meta as Meta } : {})
  })
}

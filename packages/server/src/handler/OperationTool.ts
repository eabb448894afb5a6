/**
 * An endpoint with its function, as a tool: how it is listed, and what a call of it comes to. The function may return an
 * Effect, a promise or a plain value.
 */
import * as Effect from "effect/Effect"
import { hintAnnotations, type AnyEndpoint } from "@treadle/protocol/endpoint"
import { RpcError } from "@treadle/protocol/rpc"
import type { Tool } from "@treadle/protocol/schema"
import { argumentsReply, contentReply, errorReply, failureReply, valueReply } from "../reply/ToolReply.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import type { TaskOption } from "../TaskOptions.ts"
import { invoke, type AnyHandler } from "./Invocation.ts"
import { operationRun, type Telling } from "./OperationRun.ts"
import { taskSettings } from "./TaskSettings.ts"
import type { ToolHandler } from "./ToolHandler.ts"

export interface ToolSettings {
  readonly visible?: ((context: never) => boolean) | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly timeout?: number | undefined
  readonly once?: boolean | undefined
  readonly strict?: boolean | undefined
  readonly task?: TaskOption | undefined
}

const listingOf = (endpoint: AnyEndpoint): Tool => {
  const { about, shape } = endpoint
  const annotations = hintAnnotations(about.hints)
  return {
    name: endpoint.name,
    ...(about.title === undefined ? {} : { title: about.title }),
    description: about.description,
    ...(about.icons === undefined ? {} : { icons: about.icons }),
    inputSchema: shape.inputSchema as Tool["inputSchema"],
    ...(shape.outputSchema === undefined ? {} : { outputSchema: shape.outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(about.meta === undefined ? {} : { _meta: about.meta })
  }
}

/** Arguments that do not fit, as the error of a strict tool. */
const unfitArguments = (tool: string, problems: ReadonlyArray<string>): RpcError =>
  RpcError.invalidParams(`Invalid arguments for ${tool}: ${problems.join("; ")}`, { problems })

/** What a call came to, as the result of a tool. */
const toolTelling = (name: string, strict: boolean): Telling<NeutralResult, RpcError> => ({
  value: valueReply,
  text: (text, { content = [], meta }) => contentReply(text, content, meta),
  declared: errorReply,
  failed: failureReply,
  unfit: (problems) =>
    strict ? Effect.fail(unfitArguments(name, problems)) : Effect.succeed(argumentsReply(name, problems))
})

/**
 * The tool of an operation.
 *
 * @param endpoint one without faults; the builder has checked it
 */
export const operationTool = (endpoint: AnyEndpoint, handler: AnyHandler, settings: ToolSettings): ToolHandler => {
  const perform: ToolHandler["perform"] = (input, call) => invoke(handler, input, call)
  const { strict = false } = settings
  return {
    name: endpoint.name,
    endpoint,
    listing: JSON.stringify(listingOf(endpoint)),
    headers: endpoint.shape.headers,
    visible: settings.visible,
    scopes: settings.scopes,
    timeout: settings.timeout,
    once: settings.once,
    task: taskSettings(settings.task),
    strict,
    perform,
    run: operationRun({ endpoint, perform, strict }, toolTelling(endpoint.name, strict))
  }
}

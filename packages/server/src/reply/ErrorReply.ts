/**
 * Errors that requests of resources, prompts and completions are answered with.
 */
import type { Era } from "@treadle/protocol/era"
import { RpcError } from "@treadle/protocol/rpc"

/** What is told of a defect: nothing but where to find it in the log. */
export const internalError = (reference: string): RpcError =>
  RpcError.internal(`Internal error (reference ${reference})`)

/**
 * There is no resource of this URI (RES-04).
 *
 * @param problems why its variables do not fit, where a template has its form
 */
export const resourceNotFound = (uri: string, era: Era, problems: ReadonlyArray<string> = []): RpcError => {
  const message = `There is no resource ${[JSON.stringify(uri), ...problems].join("; ")}`
  return era === "native" ? RpcError.invalidParams(message, { uri }) : RpcError.resourceNotFound(message, { uri })
}

/** A session may not hear of changes of a resource (CSUB-01). */
export const resourceUnheard = (uri: string, reason: string): RpcError =>
  RpcError.resourceNotFound(`There is nothing to hear of ${JSON.stringify(uri)}: ${reason}`, { uri, reason })

/** The resource is there and cannot be read now. */
export const resourceUnavailable = (uri: string, reason: string): RpcError =>
  RpcError.internal(`The resource ${JSON.stringify(uri)} is unavailable: ${reason}`, { uri, reason })

/** A prompt ended in words of its author. */
export const promptFailed = (name: string, reason: string): RpcError =>
  RpcError.internal(`The prompt ${JSON.stringify(name)} failed: ${reason}`, { reason })

/** Arguments of a prompt that do not fit, with every problem (PROMPT-03). */
export const promptArguments = (name: string, problems: ReadonlyArray<string>): RpcError =>
  RpcError.invalidParams(`Invalid arguments for the prompt ${JSON.stringify(name)}: ${problems.join("; ")}`)

/**
 * The handler of a tool of a toolkit, which its layer gives: asked for approval first where the tool needs it, and what
 * it says sent as a result.
 */
import * as AiError from "effect/ai/AiError"
import type * as Prompt from "effect/ai/Prompt"
import type * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Reply } from "@treadle/protocol/endpoint"
import { isRecord, toBase64 } from "@treadle/protocol/json"
import { Content } from "@treadle/protocol/schema"
import { CurrentCall, type CurrentCallService } from "../CurrentCall.ts"
import { ToolFailed } from "../ToolError.ts"
import { approval } from "./Approval.ts"
import { declaresErrors } from "./ToolContract.ts"

/** Preliminary results have no place in a result: each is progress, with its text where it is one. */
const preliminary = (current: CurrentCallService) => {
  let count = 0
  return (result: unknown) => current.sendProgress(++count, undefined, typeof result === "string" ? result : undefined)
}

const fileBlock = ({ data, fileName, mediaType }: Prompt.FilePart): Content => {
  if (data instanceof URL) {
    return Content.link(data.href, fileName ?? data.href, { mimeType: mediaType })
  }
  const text = typeof data === "string" ? data : toBase64(data)
  if (mediaType.startsWith("image/")) return Content.image(text, mediaType)
  if (mediaType.startsWith("audio/")) return Content.audio(text, mediaType)
  return Content.resource({ uri: `file:///${encodeURIComponent(fileName ?? "file")}`, mimeType: mediaType, blob: text })
}

const blocksOf = (parts: ReadonlyArray<Prompt.ToolModelOutputPart>): ReadonlyArray<Content> =>
  parts.map((part) => (part.type === "text" ? Content.text(part.text) : fileBlock(part)))

/** The words of a failure that is not declared as an object. */
const wordsOf = (error: unknown, encode: (error: unknown) => Effect.Effect<unknown, Schema.SchemaError>) => {
  if (isRecord(error) && typeof error["message"] === "string" && error["message"] !== "") {
    return Effect.succeed(error["message"])
  }
  return Effect.map(Effect.orDie(encode(error)), (json) => (typeof json === "string" ? json : JSON.stringify(json)))
}

/** What the handler of a toolkit fails with, as the builder knows failures. */
const failing = (tool: Tool.Any) => {
  const declared = declaresErrors(tool)
  const isFailure = Schema.is(tool.failureSchema as Schema.Codec<unknown>)
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(tool.failureSchema as Schema.Codec<unknown>))
  return (error: unknown): Effect.Effect<never, unknown> => {
    // In the mode "return" the author lets the model read what went wrong with a model or a provider, too.
    const aboutModels = AiError.isAiError(error) || AiError.isAiErrorReason(error)
    if (aboutModels && tool.failureMode === "return") return Effect.fail(new ToolFailed(error.message))
    if (declared || !isFailure(error)) return Effect.fail(error)
    return Effect.flatMap(wordsOf(error, encode), (words) => Effect.fail(new ToolFailed(words)))
  }
}

/**
 * The handler of a tool.
 *
 * @param tool one that can be served
 */
export const toolkitHandler = (tool: Tool.Any) => {
  const fail = failing(tool)
  const { needsApproval, toModelOutput } = tool
  const replied =
    toModelOutput === undefined ? undefined : (value: unknown) => Reply.of(value, ...blocksOf(toModelOutput(value)))

  const run = (input: unknown, services: Context.Context<never>): Effect.Effect<unknown, unknown> => {
    // Handlers of a toolkit have no key of their own that could be asked for: the id of their tool is it.
    const handler = services.mapUnsafe.get(tool.id) as Tool.Handler<string> | undefined
    if (handler === undefined) {
      return Effect.die(
        new Error(`${tool.name} has no handler: provide the layer that toolkit.toLayer({ ${tool.name}: … }) gives.`)
      )
    }
    const current = Context.getUnsafe(services, CurrentCall)
    const handled = Effect.catch(
      Effect.provideContext(
        Effect.suspend(() => handler.handler(input, { preliminary: preliminary(current) })),
        Context.merge(handler.context, services)
      ),
      fail
    )
    const result = replied === undefined ? handled : Effect.map(handled, replied)
    return needsApproval === undefined || needsApproval === false
      ? result
      : Effect.andThen(approval(tool, input, current), result)
  }

  return (input: unknown) => Effect.contextWith((services: Context.Context<never>) => run(input, services))
}

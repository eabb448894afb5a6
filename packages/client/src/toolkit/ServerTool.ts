/**
 * One tool of a server as a dynamic tool of a toolkit: the server's own JSON Schema, and results as a model reads them.
 */
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isJsonObject } from "@treadle/protocol/json"
import type { Tool as ListedTool } from "@treadle/protocol/schema"
import type { McpSession } from "../McpSession.ts"
import { failureOf, modelOutput, outputOf } from "./ModelOutput.ts"

/** A tool that a server lists: it takes JSON, and gives JSON or a failure in words. */
export type ServerTool = Tool.Dynamic<
  string,
  {
    readonly parameters: { readonly [key: string]: unknown }
    readonly success: typeof Schema.Unknown
    readonly failure: typeof Schema.String
    readonly failureMode: "return"
  }
>

/** Tools of servers by the names that models call them. */
export type ServerTools = Record<string, ServerTool>

const annotated = (tool: ServerTool, { annotations, title }: ListedTool): ServerTool => {
  const { destructiveHint, idempotentHint, openWorldHint, readOnlyHint } = annotations ?? {}
  const called = title ?? annotations?.title
  let named = called === undefined ? tool : tool.annotate(Tool.Title, called)
  if (readOnlyHint !== undefined) named = named.annotate(Tool.Readonly, readOnlyHint)
  if (destructiveHint !== undefined) named = named.annotate(Tool.Destructive, destructiveHint)
  if (idempotentHint !== undefined) named = named.annotate(Tool.Idempotent, idempotentHint)
  if (openWorldHint !== undefined) named = named.annotate(Tool.OpenWorld, openWorldHint)
  // Annotating a tool keeps its kind; its type forgets it.
  return named as ServerTool
}

/** @param name for models @param needsApproval whether a person has to approve each call */
export const serverTool = (name: string, listed: ListedTool, needsApproval: boolean): ServerTool =>
  annotated(
    Tool.dynamic(name, {
      ...(listed.description === undefined ? {} : { description: listed.description }),
      parameters: listed.inputSchema,
      success: Schema.Unknown,
      failure: Schema.String,
      failureMode: "return",
      needsApproval,
      toModelOutput: modelOutput
    }),
    listed
  )

/** Calls the tool; what goes wrong is a failure in words, for the model to read. */
export const serverCall =
  (session: McpSession, tool: string) =>
  (args: unknown): Effect.Effect<unknown, string> => {
    if (args !== undefined && !isJsonObject(args)) {
      return Effect.fail(`${tool} takes an object of arguments, and was given ${JSON.stringify(args)}.`)
    }
    return Effect.matchEffect(session.callTool(tool, args), {
      onSuccess: (result) =>
        result.isError === true ? Effect.fail(failureOf(result)) : Effect.succeed(outputOf(result)),
      onFailure: (error) => Effect.fail(error.message)
    })
  }

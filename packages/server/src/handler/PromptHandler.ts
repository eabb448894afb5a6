/**
 * One prompt as the engine sees it: how it is listed, who sees it, and what runs when it is got.
 */
import * as Effect from "effect/Effect"
import type { RpcError } from "@treadle/protocol/rpc"
import type { Prompt } from "@treadle/protocol/schema"
import type { Call, CurrentCall } from "../CurrentCall.ts"
import type { PromptDefinition } from "../PromptDefinition.ts"
import { promptArguments, promptFailed } from "../reply/ErrorReply.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { promptReply } from "../reply/PromptReply.ts"
import { ToolFailed } from "../ToolError.ts"
import { completersOf, type AnyCompleters, type Completable } from "./CompletionHandler.ts"
import { invoke, onFailureOf, type AnyHandler } from "./Invocation.ts"
import { textArguments, type TextArguments } from "./TextArguments.ts"

/** A prompt, its types forgotten. */
export interface AnyPromptDefinition extends Omit<PromptDefinition<unknown, string, unknown, never>, "complete"> {
  readonly complete?: AnyCompleters
}

export interface PromptHandler extends Completable {
  readonly key: string
  readonly listing: string
  readonly visible: ((context: never) => boolean) | undefined
  /** The scopes that a caller needs over HTTP. */
  readonly scopes: ReadonlyArray<string> | undefined
  /** Milliseconds until getting it is given up, where the author set one. */
  readonly timeout: number | undefined
  readonly get: (args: unknown, call: Call<unknown, never>) => Effect.Effect<NeutralResult, RpcError, CurrentCall>
}

const listingOf = (name: string, definition: AnyPromptDefinition, { listing }: TextArguments): Prompt => {
  const { description, icons, meta, title } = definition
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    ...(icons === undefined ? {} : { icons }),
    ...(listing.length === 0 ? {} : { arguments: listing }),
    ...(meta === undefined ? {} : { _meta: meta })
  }
}

const failed = (name: string) =>
  onFailureOf((error: unknown): Effect.Effect<never, RpcError> =>
    error instanceof ToolFailed ? Effect.fail(promptFailed(name, error.message)) : Effect.die(error)
  )

/**
 * The handler of a prompt.
 *
 * @param definition one that the builder has checked
 */
export const promptHandler = (name: string, definition: AnyPromptDefinition, handler: AnyHandler): PromptHandler => {
  const args = textArguments(definition.arguments)
  return {
    key: name,
    listing: JSON.stringify(listingOf(name, definition, args)),
    visible: definition.visible,
    scopes: definition.scopes,
    timeout: definition.timeout,
    names: args.names,
    completers: completersOf(definition.complete),
    get: (given, call) =>
      Effect.matchEffect(args.decode(given), {
        onFailure: ({ problems }) => Effect.fail(promptArguments(name, problems)),
        onSuccess: (input) =>
          Effect.matchCauseEffect(invoke(handler, input, call), {
            onSuccess: (body) => Effect.sync(() => promptReply(name, definition.description, body)),
            onFailure: failed(name)
          })
      })
  }
}

/**
 * One resource as the engine sees it: how it is listed, who sees it, and what runs when it is read.
 */
import * as Effect from "effect/Effect"
import type { RpcError } from "@treadle/protocol/rpc"
import type { CacheHint, Resource } from "@treadle/protocol/schema"
import type { Call, CurrentCall } from "../CurrentCall.ts"
import { resourceUnavailable } from "../reply/ErrorReply.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { readReply, type ReadFacts } from "../reply/ReadReply.ts"
import type { ReadDefinition, ResourceDefinition } from "../ResourceDefinition.ts"
import { ResourceUnavailable } from "../ResourceUnavailable.ts"
import { ToolFailed } from "../ToolError.ts"
import { invoke, onFailureOf } from "./Invocation.ts"
import { canonicalUri } from "./ResourceUri.ts"

/** The author's function, its types forgotten. */
export type AnyReader = (call: Call<never, never>) => unknown

/** Says why a client may not hear of changes of a URI, or nothing where it may. */
export type Refusing = (call: Call<unknown, never>) => Effect.Effect<string | undefined>

/** Reads; gives nothing where there is nothing of this URI. */
export type Reading = (call: Call<unknown, never>) => Effect.Effect<NeutralResult | undefined, RpcError, CurrentCall>

export interface ResourceHandler {
  /** Its URI in the form in which equal ones are equal text. */
  readonly key: string
  readonly listing: string
  readonly visible: ((context: never) => boolean) | undefined
  /** The scopes that a caller needs over HTTP. */
  readonly scopes: ReadonlyArray<string> | undefined
  /** Milliseconds until a read is given up, where the author set one. */
  readonly timeout: number | undefined
  /** @param uri as the caller wrote it, which is how the contents name it */
  readonly read: (uri: string) => Reading
  /** Whether clients may hear of it, where that has to be asked. */
  readonly refusing: Refusing | undefined
}

/** How long a read stays fresh: not at all and for its caller only, unless the author says otherwise. */
const readHint = ({ cache, visible }: ReadDefinition<never>): CacheHint => ({
  ttlMs: cache?.ttlMs ?? 0,
  cacheScope: visible === undefined ? (cache?.cacheScope ?? "private") : "private"
})

/** What both lists show of an entry. */
export const described = (definition: ReadDefinition<never>): Omit<Resource, "uri"> => {
  const { annotations, description, icons, meta, mimeType, name, title } = definition
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(icons === undefined ? {} : { icons }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(meta === undefined ? {} : { _meta: meta })
  }
}

const unread = (uri: string) =>
  onFailureOf((error: unknown): Effect.Effect<never, RpcError> =>
    error instanceof ResourceUnavailable || error instanceof ToolFailed
      ? Effect.fail(resourceUnavailable(uri, error.message))
      : Effect.die(error)
  )

/** Runs the author's function for one URI, and makes its answer. */
export const reading =
  (definition: ReadDefinition<never>, uri: string, read: AnyReader): Reading =>
  (call) => {
    const facts: ReadFacts = { uri, mimeType: definition.mimeType, cache: readHint(definition) }
    return Effect.matchCauseEffect(
      invoke((_, current) => read(current), undefined, call),
      {
        onSuccess: (body) => Effect.sync(() => readReply(body, facts)),
        onFailure: unread(uri)
      }
    )
  }

/** Asks the author's function whether changes may be heard of. What it fails with is a bug of its own. */
export const refusing =
  (refuse: AnyReader): Refusing =>
  (call) =>
    Effect.map(Effect.orDie(invoke((_, current) => refuse(current), undefined, call)), (reason) =>
      typeof reason === "string" ? reason : undefined
    )

/**
 * The handler of a resource.
 *
 * @param definition one that the builder has checked
 */
export const resourceHandler = (
  definition: ResourceDefinition<never>,
  read: AnyReader,
  refuse?: AnyReader
): ResourceHandler => {
  const { scopes, size, timeout, uri, visible } = definition
  const listing: Resource = { uri, ...described(definition), ...(size === undefined ? {} : { size }) }
  return {
    key: canonicalUri(uri) ?? uri,
    listing: JSON.stringify(listing),
    visible,
    scopes,
    timeout,
    read: (asked) => reading(definition, asked, read),
    refusing: refuse === undefined ? undefined : refusing(refuse)
  }
}

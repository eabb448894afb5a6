/**
 * What was read of a resource as the payload of its answer (RES-03).
 */
import { isRecord, toBase64, wireDecoder } from "@treadle/protocol/json"
import { ResourceContents, type CacheHint } from "@treadle/protocol/schema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { NeutralResult } from "./NeutralResult.ts"
import { printed } from "./ToolReply.ts"

/** What is known of a resource before it is read. */
export interface ReadFacts {
  readonly uri: string
  readonly mimeType: string | undefined
  readonly cache: CacheHint
}

const decode = wireDecoder(Schema.Array(ResourceContents))

const item = (value: unknown, { mimeType, uri }: ReadFacts): unknown => {
  const facts = { uri, ...(mimeType === undefined ? {} : { mimeType }) }
  if (typeof value === "string") return { ...facts, text: value }
  if (value instanceof Uint8Array) return { ...facts, blob: toBase64(value) }
  if (!isRecord(value) || !(value["blob"] instanceof Uint8Array)) return value
  return { ...value, blob: toBase64(value["blob"]) }
}

/**
 * The payload, or `undefined` where there is nothing of this URI.
 *
 * @throws where the author's function gave no contents: inside its fiber, so that it is a defect of its own
 */
export const readReply = (body: unknown, facts: ReadFacts): NeutralResult | undefined => {
  if (body === undefined || body === null) return undefined
  const items = Array.isArray(body) ? body.map((one) => item(one, facts)) : [item(body, facts)]
  const contents = decode(items)
  if (Result.isFailure(contents)) {
    const problems = contents.failure.problems.join("; ")
    throw new TypeError(`Reading ${facts.uri} gave no contents: ${problems}. Return a string, bytes, or { uri, text }`)
  }
  return { members: `"contents":${printed(contents.success)}`, cache: facts.cache }
}

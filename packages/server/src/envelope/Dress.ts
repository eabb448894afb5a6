/**
 * A neutral result as a revision wants it on the wire (BASE-08, BASE-11, META-05, CACHE-01).
 */
import type { Revision } from "@treadle/protocol/era"
import { isJsonObject, type Json, type JsonObject } from "@treadle/protocol/json"
import { MetaKey, type Implementation, type Meta } from "@treadle/protocol/schema"
import type { NeutralResult } from "../reply/NeutralResult.ts"

/** Prints the results of one server. */
export interface Dress {
  /** The JSON text of the `result` member for readers of a revision. */
  readonly result: (result: NeutralResult, revision: Revision) => string
}

const rewritten = (members: string, revision: Revision): string => {
  const result = JSON.parse(`{${members}}`) as JsonObject
  const block = (value: Json): Json => (isJsonObject(value) ? revision.block(value) : value)
  const message = (value: Json): Json =>
    isJsonObject(value) ? { ...value, content: block(value["content"] ?? null) } : value
  const { content, messages } = result
  const whole = {
    ...result,
    ...(Array.isArray(content) ? { content: content.map(block) } : {}),
    ...(Array.isArray(messages) ? { messages: messages.map(message) } : {})
  }
  return JSON.stringify(whole).slice(1, -1)
}

/** The compat revisions: the members, and `_meta` where there is any. */
const compatResult = ({ members, meta }: NeutralResult, revision: Revision): string => {
  const text = revision.rewrites ? rewritten(members, revision) : members
  if (meta === undefined) return `{${text}}`
  return `{${text}${text === "" ? "" : ","}"_meta":${JSON.stringify(meta)}}`
}

/** The native revision: every result says whether it is complete and who served it. */
const nativeResult = (server: Implementation) => {
  const tailOf = (meta: Meta | undefined): string =>
    `,"_meta":${JSON.stringify({ ...meta, [MetaKey.serverInfo]: server })}}`
  const tail = tailOf(undefined)
  return ({ members, meta, cache, resultType }: NeutralResult): string => {
    const hint = cache === undefined ? "" : `,"ttlMs":${cache.ttlMs},"cacheScope":"${cache.cacheScope}"`
    const body = members === "" ? "" : `,${members}`
    return `{"resultType":"${resultType ?? "complete"}"${body}${hint}${meta === undefined ? tail : tailOf(meta)}`
  }
}

/** The dress of one server. */
export const makeDress = (server: Implementation): Dress => {
  const native = nativeResult(server)
  return {
    result: (result, revision) => (revision.era === "native" ? native(result) : compatResult(result, revision))
  }
}

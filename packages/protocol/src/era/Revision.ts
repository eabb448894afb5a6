/**
 * What one dated revision changes: the facts that a server or a client needs to speak it. A revision says how it differs
 * from the next newer one; what it does not mention is the same.
 */
import type * as Result from "effect/Result"
import type { JsonObject } from "../json/index.ts"
import type { ClientCapabilities, FormSchema } from "../schema/index.ts"
import type { Era } from "./Era.ts"
import type { ProtocolVersion } from "./ProtocolVersion.ts"

/** One dated revision of MCP. */
export interface Revision {
  readonly version: ProtocolVersion
  readonly era: Era
  /** Whether several messages may travel in one array. */
  readonly batches: boolean
  /** Whether a client comes back to an event stream that its server closed (CHTTP-05). */
  readonly polls: boolean
  /** Whether results have structured content; where they have none, their text may be JSON. */
  readonly structured: boolean
  /**
   * What a client can be asked at this revision, of what it declared: what is newer is left out. Where a session keeps it,
   * nothing else is in it, such as settings of any size.
   */
  readonly able: (declared: ClientCapabilities) => ClientCapabilities
  /** The form as this revision writes it, or the names of the fields that it cannot ask for. */
  readonly form: (form: FormSchema) => Result.Result<FormSchema, ReadonlyArray<string>>
  /** Rewrites a content block of a type that this revision does not have; others stay as they are. */
  readonly block: (block: JsonObject) => JsonObject
  /** Whether blocks need rewriting at all, so that printed results can stay printed. */
  readonly rewrites: boolean
}

/** A block for readers that would refuse its type: the same in words. */
export const inWords = (text: string): JsonObject => ({ type: "text", text })

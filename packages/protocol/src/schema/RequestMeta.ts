/**
 * The `_meta` of a native request: what it says about its sender.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
import type { JsonObject } from "../json/index.ts"
import type { ClientCapabilities } from "./Capabilities.ts"
import type { Implementation } from "./Implementation.ts"
import type { LogLevel } from "./Logging.ts"
import { MetaKey, type Meta } from "./Meta.ts"
import type { ProgressToken } from "./Progress.ts"

/** What every native request says about its sender (META-01, META-03). */
export interface RequestFacts {
  /** The revision, such as `2026-07-28`. */
  readonly version: string
  readonly capabilities?: ClientCapabilities
  readonly client?: Implementation
  readonly progressToken?: ProgressToken
  /** @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. */
  readonly logLevel?: LogLevel
  /** Further `_meta` keys, such as `traceparent`. */
  readonly meta?: Meta
}

/** The `_meta` of a native request. */
export const requestMeta = (facts: RequestFacts): Meta => ({
  ...facts.meta,
  [MetaKey.protocolVersion]: facts.version,
  [MetaKey.clientCapabilities]: (facts.capabilities ?? {}) as JsonObject,
  ...(facts.client === undefined ? {} : { [MetaKey.clientInfo]: facts.client as unknown as JsonObject }),
  ...(facts.progressToken === undefined ? {} : { [MetaKey.progressToken]: facts.progressToken }),
  ...(facts.logLevel === undefined ? {} : { [MetaKey.logLevel]: facts.logLevel })
})

/**
 * What a server says of itself.
 */
import type { Icon } from "@treadle/protocol/schema"
import type { LiveSettings } from "./Live.ts"
import type { Vouched } from "./Principal.ts"
import type { ListHints } from "./ServerInfo.ts"

/** What `Mcp.make` is given. */
export interface McpInfo<in Ctx> {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly websiteUrl?: string
  readonly icons?: ReadonlyArray<Icon>
  /** For the model: how the tools work together. */
  readonly instructions?: string
  /**
   * Names the caller of a request, where the application has authenticated it: the id, or `{ id, scopes }` with what the
   * caller may do. Running calls are counted for it. `undefined` is nobody in particular. It is not asked where the door
   * has `auth` or demands client certificates, because those say who calls.
   */
  readonly principal?: (context: Ctx) => Vouched | undefined
  /** How long lists stay fresh, and who may share them. */
  readonly cache?: ListHints
  /** What may change while it is served, and is to be served although there is nothing of it at the start. */
  readonly live?: LiveSettings
  /** Whether clients may ask for log messages, which handlers send by `log`. Default true. */
  readonly logging?: boolean
}

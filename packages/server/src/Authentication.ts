/**
 * Who may send requests to an HTTP door at all.
 */
import type { ProtectedResource } from "./ProtectedResource.ts"
import type { StaticBearer } from "./StaticBearer.ts"

/** What a door asks of a caller before it reads a body: a token of an authorization server, or an agreed secret. */
export type Authentication = ProtectedResource | StaticBearer

/** The setting of the HTTP doors. */
export interface AuthSettings {
  /**
   * What a caller must show: `ProtectedResource.make({ … })` or `StaticBearer.make({ … })`. Without it everybody may
   * call whom `hosts` and `origins` admit, and who they are is what `principal` of `Mcp.make` says of the context.
   */
  readonly auth?: Authentication
}

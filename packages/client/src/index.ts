/**
 * Sessions with MCP servers as Effects. Promises are in `@treadle/client/promise`, child processes in
 * `@treadle/client/node`.
 */

/** Open a session, and what may be set. */
export { McpClient, type ContextOf } from "./McpClient.ts"
export type {
  ClientSettings,
  HeaderRecord,
  HttpSettings,
  OnNoise,
  PipeSettings,
  SendRequest
} from "./ClientSettings.ts"

/** Use it. */
export type { CallOptions, McpSession, RequestOptions } from "./McpSession.ts"
export type { PendingCall, Progress } from "./PendingCall.ts"
export type { Given } from "./call/TypedCall.ts"
export type { CallReply } from "./call/ToolOutcome.ts"

/** Why it failed. */
export { McpError, McpReason } from "./McpError.ts"

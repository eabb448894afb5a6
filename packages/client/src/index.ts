/**
 * Sessions with MCP servers as Effects. Promises are in `@treadle/client/promise`, child processes in
 * `@treadle/client/node`.
 */

/** Open a session, and what may be set. */
export { McpClient, type ContextOf } from "./McpClient.ts"
export type {
  ClientSettings,
  HttpSettings,
  OnNoise,
  PingSettings,
  PipeSettings,
  SendRequest
} from "./ClientSettings.ts"
export type { HeaderRecord } from "./HeaderRecord.ts"
export { EraMemory, makeEraMemory } from "./EraMemory.ts"
export { makeCacheStore, type CacheEntry, type CacheSettings, type CacheStore } from "./CacheStore.ts"

/** What authorizes requests over HTTP. */
export type { TokenProvider, TokenRequest, TokenResponse, Tokens, Unauthorized } from "./TokenProvider.ts"

/** Answer what a server asks. */
export { decline, type Answers, type Asker } from "./Answers.ts"
export type { Eventual } from "./Eventual.ts"

/** Use it. */
export type {
  CallOptions,
  McpSession,
  OpenOptions,
  RequestOptions,
  SessionCounters,
  TaskOptions
} from "./McpSession.ts"
export type { Change, Watched } from "./Change.ts"
export type { PendingCall, Progress } from "./PendingCall.ts"
export type { Given } from "./call/TypedCall.ts"
export type { CallReply } from "./call/ToolOutcome.ts"

/** Why it failed. */
export { McpError, McpReason } from "./McpError.ts"

/**
 * Sessions with MCP servers as promises.
 */
export { connect, type Connect, type ConnectSettings, type DirectSettings } from "./connect.ts"
export type {
  CallOptions,
  OpenCall,
  PromiseCall,
  PromiseClient,
  RequestOptions,
  Settled,
  TaskOptions,
  Watching
} from "./PromiseClient.ts"
export { decline, type Answers, type Asker } from "../Answers.ts"
export type { Change, Watched } from "../Change.ts"
export { McpError, McpReason } from "../McpError.ts"
export type { Progress } from "../PendingCall.ts"

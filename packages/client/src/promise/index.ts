/**
 * Sessions with MCP servers as promises.
 */
export {
  connect,
  type CallOptions,
  type Connect,
  type ConnectSettings,
  type DirectSettings,
  type OpenCall,
  type PromiseCall,
  type PromiseClient,
  type RequestOptions,
  type Settled,
  type Watching
} from "./connect.ts"
export { decline, type Answers, type Asker } from "../Answers.ts"
export type { Change, Watched } from "../Change.ts"
export { McpError, McpReason } from "../McpError.ts"
export type { Progress } from "../PendingCall.ts"

/**
 * Sessions with MCP servers as promises.
 */
export {
  connect,
  type CallOptions,
  type Connect,
  type ConnectSettings,
  type OpenCall,
  type PromiseCall,
  type PromiseClient,
  type RequestOptions,
  type Settled
} from "./connect.ts"
export { McpError, McpReason } from "../McpError.ts"
export type { Progress } from "../PendingCall.ts"

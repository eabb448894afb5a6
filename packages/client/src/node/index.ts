/**
 * Sessions with servers in child processes, as Effects and as promises.
 */
export {
  connectHttp,
  connectStdio,
  McpNodeClient,
  type ConnectHttpSettings,
  type ConnectStdioSettings,
  type NodeHttpSettings,
  type StdioSettings
} from "./McpNodeClient.ts"
export type { ChildCommand } from "./ChildTransport.ts"
export type { Environment } from "./ChildEnvironment.ts"
export type { StopTimes } from "./ProcessStop.ts"

/**
 * Sessions with servers in child processes, as Effects and as promises.
 */
export { connectStdio, McpNodeClient, type ConnectStdioSettings, type StdioSettings } from "./McpNodeClient.ts"
export type { ChildCommand } from "./ChildTransport.ts"
export type { Environment } from "./ChildEnvironment.ts"
export type { StopTimes } from "./ProcessStop.ts"

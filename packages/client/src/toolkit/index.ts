/**
 * Tools of servers as a `Toolkit` of `effect/ai`. It loads Effect's modules for models, so it is an entry point of its own.
 */
export { McpToolkit, type SessionToolkitOptions } from "./McpToolkit.ts"
export type { ServerTool, ServerTools } from "./ServerTool.ts"
export type { EndpointTool, EndpointTools } from "./EndpointTool.ts"

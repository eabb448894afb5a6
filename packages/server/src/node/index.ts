/** The doors on Node. */
export { McpNode, type ScopedHandler, type Stdio } from "./McpNode.ts"
export type { NodeDoor } from "./NodeDoor.ts"
export type { ListenSettings, Listening, TlsSettings } from "./NodeListen.ts"
export { McpTest, type RecordedCall, type Recording } from "./McpTest.ts"
export type { HttpSettings } from "../McpHttp.ts"
export type { SseSettings } from "../transport/TwoEndpoint.ts"
export type { NodeRequest } from "./NodeBody.ts"

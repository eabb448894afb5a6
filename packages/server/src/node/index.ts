/** The doors on Node. */
export {
  McpNode,
  type ListenSettings,
  type Listening,
  type NodeDoor,
  type ScopedHandler,
  type Stdio
} from "./McpNode.ts"
export { McpTest, type RecordedCall, type Recording } from "./McpTest.ts"
export type { HttpSettings } from "../McpHttp.ts"
export type { SseSettings } from "../transport/TwoEndpoint.ts"
export type { NodeRequest } from "./NodeBody.ts"

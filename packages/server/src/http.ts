/** The door of the web. */
export { McpHttp, type FetchDoor, type HttpSettings } from "./McpHttp.ts"
export type { SseSettings } from "./transport/TwoEndpoint.ts"

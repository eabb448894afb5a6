/** What tests of agents are made with; nothing of it belongs into a program. */
export { AgentTest } from "./AgentTest.ts"
export type { Fault, FaultyRequest, RecordedCall, RecordingServer } from "./RecordingServer.ts"
export type { Seen, SeenResult, SeenTool } from "./Seen.ts"
export type { CallOptions, Turn, TurnLike, TurnOptions, TurnUsage } from "./Turn.ts"

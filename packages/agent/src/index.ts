/**
 * Agents as library calls. Models are in `@treadle/agent/model`, tests in `@treadle/agent/test`, promises in
 * `@treadle/agent/promise`, commands and secrets of Node in `@treadle/agent/node`.
 */

/** Make an agent, and run it. */
export { Agent } from "./Agent.ts"
export type { ConnectedAgent, RunItem } from "./AgentRun.ts"
export { ConversationClosed, ConversationFull, type Conversation, type ConversationStatus } from "./Conversation.ts"
export { Transcript } from "./Transcript.ts"
export type { RunOptions } from "./RunOptions.ts"
export { defaultLimits, type AgentLimits } from "./Limits.ts"

/** Its servers. */
export { Server } from "./Server.ts"
export type {
  AgentDefinition,
  AnswerDef,
  AnyAgent,
  HttpServerSettings,
  OpenServer,
  ServerLike,
  ServerRef,
  Servers,
  ServerSettings
} from "./AgentDefinition.ts"
export type { Tag } from "./Tag.ts"

/** How it ended, what happened on the way, and why there was no run. */
export {
  Outcome,
  type OutcomeFields,
  type RunCall,
  type RunStatus,
  type RunUsage,
  type TypedRunCall
} from "./Outcome.ts"
export type { AgentEvent, AgentEventBody, ListedTool } from "./AgentEvent.ts"
export { AgentError, AgentReason } from "./AgentError.ts"
export { describeProblem, type AgentProblem } from "./AgentProblem.ts"

/** Agents as servers of others. */
export { AgentMcp, type AgentMcpSettings } from "./AgentMcp.ts"
export { ProcessId } from "./ProcessId.ts"

/** Subagents. */
export {
  HandleRefused,
  SpawnRefused,
  type CancelAck,
  type Delivered,
  type SpawnMode,
  type SpawnRefusal,
  type SpawnRequest,
  type SubagentState,
  type Supervisor
} from "./Supervisor.ts"

/** Secrets by reference. */
export { Secret, SecretError, SecretProblem, SecretStore, type SecretReference, type SecretTemplate } from "./Secret.ts"

/** Agents for code that awaits: the same runs and conversations as promises. */
export {
  converse,
  runAgent,
  streamAgent,
  type ModelOption,
  type OptionsOf,
  type PromiseConversation,
  type PromiseNeeds,
  type PromiseOptions,
  type SecretsOption
} from "./AgentPromise.ts"

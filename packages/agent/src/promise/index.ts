export {
  converse,
  runAgent,
  streamAgent,
  type ModelOption,
  type OptionsOf,
  type PromiseConversation,
  type PromiseOptions
} from "./AgentPromise.ts"

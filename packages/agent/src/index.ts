export { defaultLimits, type AgentLimits } from "./Limits.ts"

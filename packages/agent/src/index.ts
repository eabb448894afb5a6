export { defaultLimits, type AgentLimits } from "./Limits.ts"

/** Secrets by reference. */
export { Secret, SecretError, SecretProblem, SecretStore, type SecretReference, type SecretTemplate } from "./Secret.ts"

/** Agents on Node: secrets from the environment and from files. */
export { NodeSecrets, type NodeSecretSettings } from "./NodeSecrets.ts"

/** Agents on Node: secrets from the environment and from files, and programs as servers. */
export { NodeSecrets, type NodeSecretSettings } from "./NodeSecrets.ts"
export { NodeServer, type CommandSettings } from "./NodeServer.ts"

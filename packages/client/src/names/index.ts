/**
 * Names of tools for models.
 */
export { makeToolNames, type ToolEntry, type ToolNames } from "./ToolNames.ts"
